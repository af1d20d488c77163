//! Cooking: turns a formula into its final graph by merging, expanding, looping, weaving and deciding conditions;
//! validation comes last.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Diagnostics, Digest};
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::cook_options::CookOptions;
use super::finish::finish;
use super::formula_lookup::{FormulaLookup, FormulaText};
use super::growth::{build, too_much_text};
use super::library::Library;
use super::merge::{Merged, merged};
use super::placeholders::Names;
use super::text_room::Room;
use super::vars::{GivenBy, bind, values};
use super::{COOKED_VERSION, CookedFormula, CookedVar, FormulaKind, SourceRole};

/// Formula to cook.
#[derive(Debug, Clone)]
pub enum FormulaRef<'a> {
    /// Formula that is looked up by this name.
    Name(&'a str),
    /// Formula with this text; the formulas that it names are looked up.
    Text(FormulaText),
}

/// Cooks a formula. Equal texts and options give byte-identical results. Returns the result with its warnings.
///
/// # Errors
/// Returns all problems of the formula, of the formulas it is composed of, and of the values of its variables.
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

/// Checks a formula and everything it is composed of, as far as possible without values for its variables.
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
    let bound = bind(&formula.variables, &options.vars, by, found);
    if found.has_errors() {
        return None;
    }
    let values = values(&bound);
    let room = Room::new(options.limits.max_text);
    let names = Names {
        vars: &values,
        in_braces: false,
        local: &[],
        outer: None,
        room: &room,
    };
    let built = build(library, formula, &names, &room, options, found)?;
    let head = head(formula, &names, bound);
    if room.is_spent() {
        found.push(too_much_text(options.limits.max_text).at(formula.place.clone()));
        return None;
    }
    finish(head, built, formula, options, library, found)
}

/// Builds the head of the cooked formula, without its steps.
fn head(formula: &Merged, names: &Names<'_>, vars: BTreeMap<String, CookedVar>) -> CookedFormula {
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
        squash: formula.squash.clone(),
        metadata: formula.metadata.clone(),
        output: None,
        bond_points: Vec::new(),
        open_hooks: Vec::new(),
        sources: Vec::new(),
        digest: Digest::of_bytes(b""),
    }
}
