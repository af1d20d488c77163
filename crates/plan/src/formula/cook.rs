//! From a formula to its final graph: merge, expand, loop, weave, condition, and only then validate.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Diagnostics, Digest};

use super::build::{Around, Builder, Here, too_much_text};
use super::draft::{Draft, UnitId};
use super::finish::finish;
use super::library::Library;
use super::lookup::{FormulaLookup, FormulaText};
use super::merge::{Merged, merged};
use super::text::{Local, Names, Room, Values};
use super::vars::{GivenBy, bind, values};
use super::{
    COOKED_VERSION, CookedFormula, CookedVar, FormulaKind, NeedKind, OpenHook, OutputPlaces,
    SourceRole,
};
use crate::words::cut;
use crate::{Catalog, Findings};

/// How large a cooked formula may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// The most steps, those that conditions leave out included.
    pub max_steps: usize,
    /// The most needs of all steps together.
    pub max_needs: usize,
    /// The most bytes of all texts together, those that values are filled into on the way included.
    pub max_text: usize,
}

impl Default for FormulaLimits {
    fn default() -> Self {
        Self {
            max_steps: 100_000,
            max_needs: 2_000_000,
            max_text: 128 * 1024 * 1024,
        }
    }
}

/// What a formula is cooked with.
#[derive(Debug, Clone, Default)]
pub struct CookOptions<'a> {
    /// The values of its variables.
    pub vars: BTreeMap<String, String>,
    /// Whether values may still come: then none is missing, and conditions on variables without one stay open.
    pub open: bool,
    /// Whether fields that are not known are errors.
    pub strict: bool,
    /// The choice of legs, by name.
    pub preset: Option<String>,
    /// What the formula is cooked for, as far as hooks ask for it; without, they stay open.
    pub subject: Option<Subject>,
    /// How large it may become.
    pub limits: FormulaLimits,
    /// The kinds of steps, to check `uses` and `with` by.
    pub catalog: Option<&'a Catalog>,
}

/// What a formula is cooked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its labels.
    pub labels: Vec<String>,
    /// What sort of work it is.
    pub kind: Option<String>,
    /// From 0 to 4.
    pub priority: Option<u8>,
}

/// Which formula is meant.
#[derive(Debug, Clone)]
pub enum FormulaRef<'a> {
    /// The one that is looked up by this name.
    Name(&'a str),
    /// This text. What it names is looked up.
    Text(FormulaText),
}

/// Cooks a formula: the same texts and options give the same result, byte for byte. With it come warnings.
///
/// # Errors
/// All that is wrong with the formula, with what it is composed of, or with the values given for its variables.
pub fn cook_formula(
    lookup: &dyn FormulaLookup,
    which: FormulaRef<'_>,
    options: &CookOptions<'_>,
) -> Result<(CookedFormula, Diagnostics), Diagnostics> {
    let mut found = Findings::default();
    let mut library = Library::new(lookup, options.strict);
    let cooked = load(&mut library, which, &mut found).and_then(|formula| {
        if formula.kind == FormulaKind::Aspect {
            found.push(nothing_to_cook(&formula));
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

/// Checks a formula and all it is composed of, as far as that is possible without values for its variables.
#[must_use]
pub fn check_formula(
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

fn nothing_to_cook(formula: &Merged) -> Diagnostic {
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

/// What was built of a formula, before names are resolved.
pub(crate) struct Built {
    pub(crate) draft: Draft,
    pub(crate) top: UnitId,
    pub(crate) scope: usize,
    pub(crate) open_hooks: Vec<OpenHook>,
    pub(crate) output: Option<OutputPlaces>,
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

/// What is known of the cooked formula before its steps are.
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

fn build(
    library: &mut Library<'_>,
    formula: &Merged,
    names: &Names<'_>,
    room: &Room,
    options: &CookOptions<'_>,
    found: &mut Findings,
) -> Option<Built> {
    let mut builder = Builder::new(
        library,
        found,
        options.limits,
        room,
        options.catalog,
        options.open,
    );
    builder.set_types(&formula.variables);
    let scope = builder.draft.scope(None);
    let top = builder
        .draft
        .group(formula.name.clone(), Default::default(), NeedKind::Needs);
    let around = Around::default().within(formula);
    let here = Here {
        names,
        source: 0,
        prefix: "",
        scope,
        via: &[],
        around: &around,
        container: None,
        compose: &formula.compose,
        applied: &[],
        expansions: &[],
        depth: 0,
    };
    let mut output = None;
    match formula.kind {
        FormulaKind::Convoy | FormulaKind::Analysis => {
            output = builder.legs(top, formula, options.preset.as_deref(), &here);
        }
        FormulaKind::Expansion => alone(&mut builder, top, formula, &here),
        FormulaKind::Workflow | FormulaKind::Aspect => builder.steps(top, &formula.steps, &here),
    }
    if !matches!(formula.kind, FormulaKind::Convoy | FormulaKind::Analysis) {
        builder.refuse_preset(options.preset.as_deref());
    }
    if builder.is_full() {
        return None;
    }
    builder.weave_all(formula, &here);
    let open_hooks = builder.hooks(top, &formula.compose, options.subject.as_ref(), &here);
    builder.branches(&formula.compose, &here);
    builder.gates_by_rule(&formula.compose, &here);
    builder.report_unused_rules(&formula.compose);
    if builder.is_full() {
        return None;
    }
    Some(Built {
        draft: builder.draft,
        top,
        scope,
        open_hooks,
        output,
    })
}

/// An expansion by itself stands in for a step called `main` with its own name and description.
fn alone(builder: &mut Builder<'_, '_>, top: UnitId, formula: &Merged, here: &Here<'_>) {
    let local = [
        Local::new("target", "main"),
        Local::new("target.id", "main"),
        Local::new("target.title", formula.name.clone()),
        Local::new("target.description", here.names.fill(&formula.description)),
    ];
    let none = Values::new();
    let vars = Names {
        in_braces: true,
        ..*here.names
    };
    let names = Names {
        vars: &none,
        in_braces: false,
        local: &local,
        outer: Some(&vars),
        room: here.names.room,
    };
    let here = Here {
        names: &names,
        ..*here
    };
    builder.steps(top, &formula.template, &here);
}
