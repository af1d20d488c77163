//! From the steps of documents to units of a [`Draft`].

mod advice;
mod arguments;
mod attach;
mod compose;
mod expand;
mod gate;
mod legs;
mod one_step;
mod repeat;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};
use windlass_base::{Diagnostic, Ident, Place, counted};
use windlass_plan::quote::cut;
use windlass_plan::{Catalog, Findings};

pub(crate) use self::whole::{Built, build};
use super::document::VarType;
use super::draft::{Draft, ScopeId, Spot, UnitId};
use super::library::Library;
use super::merge::{Compose, Merged, merged};
use super::placeholders::{Names, Values};
use super::room::Room;
use super::vars::{GivenBy, Variable, Variables, bind, values};
use super::{CookedStep, FormulaLimits, Origin, SourceRole, Via};

/// How deep expansions, loops and children may be nested.
const MAX_DEPTH: usize = 32;

/// Bytes that a name in a scope takes beside its text, in round figures.
const NAME_BYTES: usize = 64;

/// Makes units of steps, and notes what is wrong on the way.
pub(crate) struct Builder<'l, 'b> {
    pub(crate) library: &'b mut Library<'l>,
    pub(crate) found: &'b mut Findings,
    pub(crate) draft: Draft,
    pub(crate) limits: FormulaLimits,
    pub(crate) catalog: Option<&'b Catalog>,
    /// Whether variables may still get their values.
    pub(crate) open: bool,
    /// The steps that there are by now, and the room for their texts.
    steps: usize,
    room: &'b Room,
    /// Whether a limit was reached, which was reported.
    full: bool,
    formulas: BTreeMap<String, Option<Rc<Merged>>>,
    /// The rules of `compose` that found a step, by their places.
    used_rules: BTreeSet<(u32, u32)>,
    /// What sorts of values the variables have.
    types: BTreeMap<String, VarType>,
}

/// Where a step is built: what is around it.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) names: &'a Names<'a>,
    pub(crate) source: u32,
    /// What stands before the names of steps: `retry.iter2.`.
    pub(crate) prefix: &'a str,
    pub(crate) scope: ScopeId,
    pub(crate) via: &'a [Via],
    pub(crate) around: &'a Around,
    /// The step that contains it.
    pub(crate) container: Option<UnitId>,
    pub(crate) compose: &'a Compose,
    /// The rules that are being applied, by their places.
    pub(crate) applied: &'a [(u32, u32)],
    /// The expansions it is part of.
    pub(crate) expansions: &'a [&'a str],
    pub(crate) depth: usize,
}

/// What steps have from the unit that they are part of, where they say nothing else.
#[derive(Debug, Clone, Default)]
pub(crate) struct Around {
    pub(crate) labels: Vec<String>,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) priority: Option<u8>,
    pub(crate) assignee: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) review_only: bool,
    pub(crate) interactive: bool,
    pub(crate) parallel: Option<bool>,
    pub(crate) kind: Option<String>,
    pub(crate) notes: String,
    pub(crate) undecided: Vec<String>,
}

impl Around {
    /// With what a whole formula says of its steps.
    pub(crate) fn within(self, formula: &Merged) -> Self {
        Self {
            agent: formula.agent.clone().or(self.agent),
            review_only: formula.review_only || self.review_only,
            ..self
        }
    }
}

impl<'l, 'b> Builder<'l, 'b> {
    pub(crate) fn new(
        library: &'b mut Library<'l>,
        found: &'b mut Findings,
        limits: FormulaLimits,
        room: &'b Room,
        catalog: Option<&'b Catalog>,
        open: bool,
    ) -> Self {
        Self {
            library,
            found,
            draft: Draft::default(),
            limits,
            catalog,
            open,
            steps: 0,
            room,
            full: false,
            formulas: BTreeMap::new(),
            used_rules: BTreeSet::new(),
            types: BTreeMap::new(),
        }
    }

    /// Notes what sorts of values the variables have.
    pub(crate) fn set_types(&mut self, variables: &Variables) {
        let typed = |(name, variable): (&String, &Variable)| {
            variable.table.kind.map(|kind| (name.clone(), kind))
        };
        self.types = variables.iter().filter_map(typed).collect();
    }

    /// The value of a variable as data: a number where it is declared as one.
    pub(crate) fn as_data(&self, name: &str, value: &str) -> Value {
        let data = match self.types.get(name) {
            None | Some(VarType::String) => None,
            Some(_) => serde_json::from_str(value).ok(),
        };
        data.unwrap_or_else(|| Value::String(value.to_owned()))
    }

    /// Reports a choice of legs where there are none.
    pub(crate) fn refuse_preset(&mut self, preset: Option<&str>) {
        if let Some(preset) = preset {
            let message = format!("the formula has no preset `{}`", cut(preset));
            let help = "only convoys have presets: leave it out";
            self.found
                .push(Diagnostic::error("unknown-preset", message).help(help));
        }
    }

    pub(crate) fn place(&self, spot: Spot) -> Option<Place> {
        self.library.place(spot.source, spot.start, spot.end)
    }

    pub(crate) fn report(&mut self, spot: Spot, diagnostic: Diagnostic) {
        let place = self.place(spot);
        self.found.push_at(place, diagnostic);
    }

    /// Reports something that is understood, and cannot be done where it stands.
    pub(crate) fn refuse(&mut self, spot: Spot, message: String, help: &str) {
        self.report(spot, Diagnostic::error("unsupported", message).help(help));
    }

    /// The formula called `name` with all it inherits, read once.
    pub(crate) fn formula(
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

    /// The values of the variables of another formula, as a document gives them.
    pub(crate) fn bound(
        &mut self,
        formula: &Merged,
        given: &BTreeMap<String, String>,
        spot: Spot,
    ) -> Values {
        let place = self.place(spot).unwrap_or_else(|| formula.place.clone());
        let by = GivenBy::Document(&place);
        values(&bind(&formula.variables, given, by, self.found))
    }

    /// Whether the name of a step may be one; reported if not.
    pub(crate) fn check_id(&mut self, id: &str, spot: Spot) -> bool {
        match Ident::parse(id) {
            Ok(_) => true,
            Err(why) => {
                let message = format!("`{}` is no name of a step: {why}", cut(id));
                self.report(spot, Diagnostic::error("step-name", message));
                false
            }
        }
    }

    /// Whether so many more steps may be made; reported once if not.
    pub(crate) fn room_for(&mut self, steps: usize, spot: Spot) -> bool {
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
            let message = format!("the formula has more than the limit of {limit} here");
            Diagnostic::error("too-many-steps", message)
                .help("make the loop shorter, or raise the limit with `--max-steps`")
        } else {
            too_much_text(limits.max_text)
        };
        self.report(spot, diagnostic);
        false
    }

    /// Counts a step, with all that it has from the units around it.
    pub(crate) fn count(&mut self, step: &CookedStep) {
        self.steps += 1;
        self.grow(written_size(step));
    }

    /// Takes room for something that is made without being a step: a unit, a name, a copy.
    pub(crate) fn grow(&self, bytes: usize) {
        self.room.take(bytes);
    }

    pub(crate) fn origin(&self, spot: Spot, via: &[Via]) -> Origin {
        Origin {
            source: spot.source,
            line: self.library.line(spot.source, spot.start),
            via: via.to_vec(),
        }
    }

    /// Whether a limit was reached.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }
}

/// Finding that the texts of a formula are larger than the limit.
pub(crate) fn too_much_text(limit: usize) -> Diagnostic {
    let message = format!("the texts of the steps have more than {limit} bytes");
    Diagnostic::error("too-much-text", message).help(
        "loops and expansions repeat the texts of their steps: keep long ones in files, and nest fewer expansions",
    )
}

/// Bytes of `step` as JSON.
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
    // A map with other keys than texts ends it early; what was written by then counts.
    match serde_json::to_writer(&mut count, step) {
        Ok(()) | Err(_) => count.0,
    }
}

/// Where a part of the source `source` stands.
pub(crate) fn spot<T>(source: u32, part: &super::document::Located<T>) -> Spot {
    Spot {
        source,
        start: part.start,
        end: part.end,
    }
}
