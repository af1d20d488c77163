//! Turns the steps of documents into the units of a [`Draft`].
//!
//! Nested expansions and loops multiply, so a few lines can ask for billions of steps. That is why
//! we count steps and bytes as we go, and stop when a limit is exceeded. If we only checked the
//! result, we might run out of memory before that.

mod attachments;
mod composer;
mod drains;
mod formula_hooks;
mod gates;
mod least_steps;
mod legs;
mod step_arguments;
mod step_control;
mod steps;
mod surroundings;
mod weaver;
mod whole_formula;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;
use windlass_base::{Diagnostic, Ident, Place, counted};
use windlass_plan::quote::{cut, near};
use windlass_plan::{Catalog, DurationText, Findings};

use self::surroundings::{Around, Here};
pub(crate) use self::whole_formula::{Built, build, report_undeclared};
use super::cook_options::{CookOptions, FormulaLimits};
use super::document::{Located, VarType};
use super::draft::{Attached, Draft, ScopeId, Spot, UnitId, What};
use super::library::Library;
use super::merge::{Merged, merged};
use super::placeholders::{Names, Values};
use super::text_room::Room;
use super::vars::{GivenBy, Variable, Variables, bind, values};
use super::{CookedStep, Origin, SourceRole, Via};

/// Maximum nesting of expansions, loops and children. We build them recursively, so this also keeps
/// the stack small.
const MAX_DEPTH: usize = 32;

/// The memory we count for a name in a scope, in addition to its text.
///
/// This is only a rough estimate.
const NAME_BYTES: usize = 64;

struct Growth<'l, 'b> {
    library: &'b mut Library<'l>,
    found: &'b mut Findings,
    draft: Draft,
    limits: FormulaLimits,
    catalog: Option<&'b Catalog>,
    /// If true, the caller may supply more values later.
    open: bool,
    /// The number of steps so far. Texts are counted by `room`.
    steps: usize,
    room: &'b Room,
    /// True once a limit has been exceeded and reported.
    full: bool,
    /// Merged formulas by name. `None` marks one that could not be loaded, so that we report it
    /// once only.
    formulas: BTreeMap<String, Option<Rc<Merged>>>,
    /// Least number of steps of each template that has been counted.
    least: BTreeMap<String, usize>,
    /// The positions of the `compose` rules that have matched a step. We report the others as
    /// unused, since their names are probably misspelled.
    used_rules: BTreeSet<(u32, u32)>,
    types: BTreeMap<String, VarType>,
}

impl<'l, 'b> Growth<'l, 'b> {
    fn new(
        library: &'b mut Library<'l>,
        found: &'b mut Findings,
        room: &'b Room,
        options: &CookOptions<'b>,
        variables: &Variables,
    ) -> Self {
        let typed = |(name, variable): (&String, &Variable)| {
            variable.table.kind.map(|kind| (name.clone(), kind))
        };
        Self {
            library,
            found,
            draft: Draft::default(),
            limits: options.limits,
            catalog: options.catalog,
            open: options.open,
            steps: 0,
            room,
            full: false,
            formulas: BTreeMap::new(),
            least: BTreeMap::new(),
            used_rules: BTreeSet::new(),
            types: variables.iter().filter_map(typed).collect(),
        }
    }

    /// Converts a variable's value to data of its declared type, e.g. `"3"` to `3`.
    ///
    /// We leave it as a string if that fails: [`bind`] has reported values of the wrong type
    /// already.
    fn as_data(&self, name: &str, value: &str) -> Value {
        let data = match self.types.get(name) {
            None | Some(VarType::String) => None,
            Some(_) => serde_json::from_str(value).ok(),
        };
        data.unwrap_or_else(|| Value::String(value.to_owned()))
    }

    fn place(&self, spot: Spot) -> Option<Place> {
        self.library.place(spot.source, spot.start, spot.end)
    }

    fn report(&mut self, spot: Spot, diagnostic: Diagnostic) {
        let place = self.place(spot);
        self.found.push_at(place, diagnostic);
    }

    /// Reports undeclared names found in texts since the last call.
    ///
    /// We do not record the positions of names, so the finding points to the first occurrence at or
    /// after `at`.
    fn report_undeclared(&mut self, at: Spot, names: &Names<'_>) {
        for name in self.room.late.take_unknown() {
            let place = self
                .library
                .occurrence((at.source, at.start, at.end), &name);
            self.found.push_at(place, undeclared(&name, names));
        }
    }

    /// Reports a request that makes sense, but is not supported here.
    fn refuse(&mut self, spot: Spot, message: impl Into<String>, help: impl Into<String>) {
        self.wrong(spot, "unsupported", message, help);
    }

    fn wrong(
        &mut self,
        spot: Spot,
        rule: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(spot, Diagnostic::error(rule, message).help(help));
    }

    fn formula(
        &mut self,
        name: &str,
        role: SourceRole,
        place: Option<Place>,
    ) -> Option<Rc<Merged>> {
        if let Some(known) = self.formulas.get(name) {
            return known.clone();
        }
        let merged = merged(self.library, name, role, place, self.found).map(Rc::new);
        self.formulas.insert(name.to_owned(), merged.clone());
        merged
    }

    fn bound(&mut self, formula: &Merged, given: &BTreeMap<String, String>, spot: Spot) -> Values {
        let place = self.place(spot).unwrap_or_else(|| formula.place.clone());
        let by = GivenBy::Document(&place);
        values(&bind(&formula.variables, given, by, self.found))
    }

    fn check_id(&mut self, id: &str, spot: Spot) -> bool {
        match Ident::parse(id) {
            Ok(_) => true,
            Err(why) => {
                let message = format!("`{}` is not a step name: {why}", cut(id));
                self.report(spot, Diagnostic::error("step-name", message));
                false
            }
        }
    }

    /// Returns true if there is room for `steps` more steps. If not, we report the exceeded limit
    /// the first time, and then stay quiet: once the formula is too large, every caller runs into
    /// this.
    fn room_for(&mut self, steps: usize, spot: Spot) -> bool {
        if self.full {
            return false;
        }
        let limits = self.limits;
        let too_many = self.steps.saturating_add(steps) > limits.max_steps;
        if !too_many && !self.room.is_spent() {
            return true;
        }
        self.full = true;
        let diagnostic = if too_many {
            let limit = counted(limits.max_steps, "step");
            let message = format!("the formula exceeds the limit of {limit} here");
            Diagnostic::error("too-many-steps", message)
                .help("make the loop shorter, or raise the limit with `--max-steps`")
        } else {
            too_much_text(limits.max_text)
        };
        self.report(spot, diagnostic);
        false
    }

    /// Counts a step and all of its texts.
    ///
    /// Inherited ones count too, since each step has its own copy.
    fn count(&mut self, step: &CookedStep) {
        self.steps += 1;
        self.grow(written_size(step));
    }

    /// Counts the memory of anything else besides steps, such as a unit, a name or a copy.
    fn grow(&self, bytes: usize) {
        self.room.take(bytes);
    }

    fn origin(&self, spot: Spot, via: &[Via]) -> Origin {
        Origin {
            source: spot.source,
            line: self.library.line(spot.source, spot.start),
            via: via.to_vec(),
        }
    }

    /// True if the result will be thrown away, so there is no point in continuing.
    fn is_full(&self) -> bool {
        self.full
    }

    fn attach(
        &mut self,
        unit: UnitId,
        what: What,
        spot: Spot,
        scope: ScopeId,
        itself: Option<UnitId>,
    ) {
        self.draft.attached.push(Attached {
            unit,
            what,
            spot,
            scope,
            itself,
        });
    }

    fn duration(&mut self, here: &Here<'_>, text: &Located<String>) -> Option<DurationText> {
        let filled = here.names.fill(text);
        // The caller may still supply values for its variables, so don't complain yet.
        if self.open && filled.contains("{{") {
            return None;
        }
        let duration = DurationText::new(filled);
        match duration.parse() {
            Ok(_) => Some(duration),
            Err(why) => {
                let help = "write it like `90s`, `5m` or `1h30m`";
                self.wrong(spot(here.source, text), "duration", why.to_string(), help);
                None
            }
        }
    }
}

fn undeclared(name: &str, names: &Names<'_>) -> Diagnostic {
    let shown = cut(name);
    let help = match near(name, names.known()) {
        Some(near) => format!("did you mean `{{{{{near}}}}}`?"),
        None => format!("declare it: `[vars.{shown}]`; or pass `--var {shown}=…`"),
    };
    let message = format!("`{{{{{shown}}}}}` is not a variable of the formula");
    Diagnostic::error("unknown-variable", message).help(help)
}

pub(crate) fn too_much_text(limit: usize) -> Diagnostic {
    let message = format!("the texts of the steps exceed {limit} bytes");
    Diagnostic::error("too-much-text", message).help(
        "loops and expansions repeat the texts of their steps: put long texts into files, and nest fewer expansions",
    )
}

/// The size of `step` as JSON, in bytes. We only count them and do not build the text.
fn written_size(step: &CookedStep) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Writing stops at a map with keys other than strings. The bytes up to there are a good enough
    // estimate.
    match serde_json::to_writer(&mut count, step) {
        Ok(()) | Err(_) => count.0,
    }
}

pub(crate) fn spot<T>(source: u32, part: &Located<T>) -> Spot {
    Spot {
        source,
        start: part.start,
        end: part.end,
    }
}
