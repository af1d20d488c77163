//! Cooks a formula: turns it into its final graph of steps.
//!
//! We load the formula and merge it with those it inherits from, bind its variables, and build its
//! steps, including those that come from templates, loops and advice. Each of these stages changes
//! the graph, so we only validate it at the very end, in [`finish`].

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Diagnostics, Digest};
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::cook_options::CookOptions;
use super::finish::finish;
use super::formula_lookup::{FormulaLookup, FormulaText};
use super::growth::{Built, build, report_undeclared, too_much_text};
use super::late_names::{BEAD_NAMES, LateNames};
use super::library::Library;
use super::merge::{Merged, merged};
use super::placeholders::Names;
use super::text_room::Room;
use super::vars::{GivenBy, Variables, bind, misspelt, undeclared, unknown, values};
use super::{COOKED_VERSION, CookedFormula, CookedVar, FormulaKind, SourceRole, ValueFrom};

/// The formula to cook.
#[derive(Debug, Clone)]
pub enum FormulaRef<'a> {
    /// A name to look up with [`FormulaLookup::formula`].
    Name(&'a str),
    /// The formula itself. Lookups still find the formulas it refers to by name.
    Text(FormulaText),
}

/// Cooks a formula and returns it with its warnings.
///
/// Cooking only depends on the texts and the options, so equal input gives a byte-identical result.
///
/// On failure, the caller gets all the problems we have found rather than just the first. Some of
/// them may not be in the formula itself, but in an inherited or attached formula, or in the values
/// of variables.
pub fn cook_formula(
    lookup: &dyn FormulaLookup,
    which: FormulaRef<'_>,
    options: &CookOptions<'_>,
) -> Result<(CookedFormula, Diagnostics), Diagnostics> {
    let mut found = Findings::default();
    let mut library = Library::new(lookup, options.strict);
    let cooked = load(&mut library, which, &mut found).and_then(|formula| {
        if formula.kind == FormulaKind::Aspect {
            found.push(aspect_alone(&formula));
            return None;
        }
        cook_merged(&mut library, &formula, options, &mut found)
    });
    let used = library.used();
    let found = found.finish(None);
    match cooked {
        Some(mut cooked) => {
            cooked.digest = digest_of(&used);
            cooked.sources = used;
            found.unless_errors(cooked)
        }
        None => Err(found),
    }
}

/// Checks a formula without requiring values for its variables.
///
/// Conditions on variables without a value stay undecided (`open`), which means that we also check
/// the steps that cooking would remove for some values.
pub(crate) fn check_formula(
    lookup: &dyn FormulaLookup,
    which: FormulaRef<'_>,
    options: &CookOptions<'_>,
) -> Diagnostics {
    let mut found = Findings::default();
    let mut library = Library::new(lookup, options.strict);
    let options = CookOptions {
        open: true,
        ..options.clone()
    };
    if let Some(formula) = load(&mut library, which, &mut found)
        && formula.kind != FormulaKind::Aspect
    // Unlike `cook_formula`, accept an aspect. It can't be cooked on its own, but as a document
    // there's nothing wrong with it.
    {
        cook_merged(&mut library, &formula, &options, &mut found);
    }
    found.finish(None)
}

fn load(library: &mut Library<'_>, which: FormulaRef<'_>, found: &mut Findings) -> Option<Merged> {
    let name = match which {
        FormulaRef::Name(name) => name.to_owned(),
        FormulaRef::Text(text) => library.add(&text, found)?,
    };
    merged(library, &name, SourceRole::Formula, None, found)
}

fn aspect_alone(formula: &Merged) -> Diagnostic {
    let message = format!(
        "`{}` is an aspect, which has no steps of its own",
        cut(&formula.name)
    );
    let help = format!(
        "name it in another formula: `[compose]` with `aspects = [\"{}\"]`",
        cut(&formula.name)
    );
    Diagnostic::error("nothing-to-cook", message)
        .at(formula.place.clone())
        .help(help)
}

fn digest_of(used: &[super::SourceUsed]) -> Digest {
    let mut bytes = Vec::new();
    for source in used {
        bytes.extend_from_slice(source.name.as_bytes());
        // A name may have any length. The zero byte marks its end, so that no two lists of sources
        // give the same bytes.
        bytes.push(0);
        bytes.extend_from_slice(source.digest.as_bytes());
    }
    Digest::of_bytes(&bytes)
}

fn cook_merged(
    library: &mut Library<'_>,
    formula: &Merged,
    options: &CookOptions<'_>,
    found: &mut Findings,
) -> Option<CookedFormula> {
    let by = GivenBy::Caller { open: options.open };
    let bead = options.subject.as_ref();
    let bead = bead.and_then(|subject| subject.bead.as_deref());
    let given = with_bead(&formula.variables, &options.vars, bead);
    let bound = bind(&formula.variables, &given, by, found);
    if found.has_errors() {
        // Often, the required variable has no value because its name is misspelled in `--var`.
        // Report such names along with the error, since we don't get to the check for unused names
        // below.
        for name in misspelt(&formula.variables, &options.vars) {
            found.push(unknown(name, &formula.variables));
        }
        return None;
    }
    let values = values(&bound);
    let late = LateNames::new(
        // The caller may also give values for names that aren't declared, as long as some text uses
        // them. We only know which ones that are after building the steps.
        undeclared(&formula.variables, &options.vars),
        bead.map(str::to_owned),
    );
    let room = Room::new(options.limits.max_text).with_late(late);
    let names = Names {
        vars: &values,
        in_braces: false,
        local: &[],
        outer: None,
        room: &room,
    };
    let built = build(library, formula, &names, &room, options, found)?;
    let head = head(formula, &names, bound, &built);
    report_undeclared(formula, &names, found);
    // By now, every text has been filled in.
    for name in room.late.unused() {
        found.push(unknown(name, &formula.variables));
    }
    if room.is_spent() {
        found.push(too_much_text(options.limits.max_text).at(formula.place.clone()));
        return None;
    }
    finish(head, built, formula, options, library, found)
}

/// Fills in the bead's ID for the variables in [`BEAD_NAMES`].
///
/// A value from the caller takes precedence, and so does a default that is not empty.
fn with_bead(
    variables: &Variables,
    given: &BTreeMap<String, String>,
    bead: Option<&str>,
) -> BTreeMap<String, String> {
    let mut given = given.clone();
    for (name, bead) in BEAD_NAMES.iter().zip(std::iter::repeat(bead)) {
        let own = variables.get(*name);
        let default = own.and_then(|own| own.table.default.as_ref());
        // Names that aren't declared are left alone here: `LateNames` knows the bead as well.
        let is_open = own.is_some() && default.is_none_or(|default| default.0.is_empty());
        if let Some(bead) = bead.filter(|_| is_open) {
            given
                .entry((*name).to_owned())
                .or_insert_with(|| bead.to_owned());
        }
    }
    given
}

/// Builds everything but the steps, the sources and the digest, which are added later by [`finish`]
/// and [`cook_formula`].
fn head(
    formula: &Merged,
    names: &Names<'_>,
    mut vars: BTreeMap<String, CookedVar>,
    built: &Built,
) -> CookedFormula {
    let late = &names.room.late;
    for (name, value) in late.given() {
        let var = CookedVar {
            value: Some(value.clone()),
            from: ValueFrom::Given,
            description: String::new(),
        };
        vars.insert(name.clone(), var);
    }
    // The variables `title` and `desc` override what the formula says about itself.
    let value = |name: &str| vars.get(name).and_then(|var| var.value.clone());
    let non_empty = |text: &String| !text.is_empty();
    CookedFormula {
        schema_version: COOKED_VERSION,
        formula: formula.name.clone(),
        kind: formula.kind,
        dialect: formula.dialect,
        version: formula.version,
        title: value("title")
            .filter(non_empty)
            .unwrap_or_else(|| formula.name.clone()),
        description: value("desc")
            .filter(non_empty)
            .unwrap_or_else(|| names.fill(&formula.description)),
        vars,
        steps: Vec::new(),
        left_out: Vec::new(),
        phase: formula.phase,
        pour: formula.pour,
        target_required: formula.target_required || late.needs_bead() || built.drains(),
        internal: formula.internal,
        squash: formula.squash.clone(),
        metadata: formula.metadata.clone(),
        output: None,
        bond_points: Vec::new(),
        open_hooks: Vec::new(),
        sources: Vec::new(),
        digest: Digest::of_bytes(b""),
    }
}
