//! Cooks a formula, turning it into its final graph.
//!
//! We merge what it inherits, replace steps with templates, repeat loops, weave in advice and
//! decide conditions. Each of these stages changes the graph, so it's only validated at the end.

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
    /// The name of a formula to look up.
    Name(&'a str),
    /// The text of a formula. Other formulas it names are still looked up.
    Text(FormulaText),
}

/// Cooks a formula and returns it together with its warnings. Equal texts and options give a
/// byte-identical result.
///
/// # Errors
/// Returns all problems in the formula, in the formulas it's composed of, and in the values of its
/// variables.
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

/// Checks a formula and everything it's composed of, as far as that's possible without values for
/// its variables.
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
        for name in misspelt(&formula.variables, &options.vars) {
            found.push(unknown(name, &formula.variables));
        }
        return None;
    }
    let values = values(&bound);
    let late = LateNames::new(
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
    for name in room.late.unused() {
        found.push(unknown(name, &formula.variables));
    }
    if room.is_spent() {
        found.push(too_much_text(options.limits.max_text).at(formula.place.clone()));
        return None;
    }
    finish(head, built, formula, options, library, found)
}

/// Returns the given values with the bead's id added for variables that are named after the bead
/// and have no other value.
fn with_bead(
    variables: &Variables,
    given: &BTreeMap<String, String>,
    bead: Option<&str>,
) -> BTreeMap<String, String> {
    let mut given = given.clone();
    for (name, bead) in BEAD_NAMES.iter().zip(std::iter::repeat(bead)) {
        let own = variables.get(*name);
        let default = own.and_then(|own| own.table.default.as_ref());
        let is_open = own.is_some() && default.is_none_or(|default| default.0.is_empty());
        if let Some(bead) = bead.filter(|_| is_open) {
            given
                .entry((*name).to_owned())
                .or_insert_with(|| bead.to_owned());
        }
    }
    given
}

/// Creates the cooked formula without its steps.
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
