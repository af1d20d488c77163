//! A whole formula: the units of its steps or legs, with all that is composed around them.

use windlass_plan::Findings;

use super::{Around, Builder, Here};
use crate::draft::{Draft, UnitId};
use crate::library::Library;
use crate::merge::Merged;
use crate::options::CookOptions;
use crate::placeholders::{Local, Names, Values};
use crate::room::Room;
use crate::{FormulaKind, NeedKind, OpenHook, OutputPlaces};

/// What was built of a formula, before names are resolved.
pub(crate) struct Built {
    pub(crate) draft: Draft,
    pub(crate) top: UnitId,
    pub(crate) scope: usize,
    pub(crate) open_hooks: Vec<OpenHook>,
    pub(crate) output: Option<OutputPlaces>,
}

/// The units of a formula that is cooked by itself; nothing where a limit was reached.
pub(crate) fn build(
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
