//! Turns a whole formula into units: its steps or legs, and around them its advice, hooks, branches
//! and gates.

use windlass_base::{Diagnostic, Place};
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::composer::Composer;
use super::formula_hooks::Hooks;
use super::legs::Legs;
use super::steps::Steps;
use super::weaver::Weaver;
use super::{Around, Growth, Here, spot, undeclared};
use crate::cook_options::CookOptions;
use crate::draft::{Draft, UnitId};
use crate::library::{Library, occurrence};
use crate::merge::Merged;
use crate::placeholders::{Local, Names, Values};
use crate::text_room::Room;
use crate::{FormulaKind, NeedKind, OpenHook, OutputPlaces};

/// A formula's units. Their needs are still names, which [`finish`](crate::finish) resolves.
pub(crate) struct Built {
    pub(crate) draft: Draft,
    pub(crate) top: UnitId,
    pub(crate) scope: usize,
    pub(crate) open_hooks: Vec<OpenHook>,
    pub(crate) output: Option<OutputPlaces>,
}

impl Built {
    pub(crate) fn drains(&self) -> bool {
        let mut steps = self
            .draft
            .units
            .iter()
            .filter_map(|unit| unit.step.as_ref());
        steps.any(|step| step.drain.is_some())
    }
}

/// Reports undeclared names in those texts of a formula that don't belong to a step, e.g. in its
/// description.
pub(crate) fn report_undeclared(formula: &Merged, names: &Names<'_>, found: &mut Findings) {
    let text = &formula.place.source;
    let whole = Place::new(text, 0..text.text().len());
    for name in names.room.late.take_unknown() {
        let place = occurrence(&whole, &name);
        let place = place.unwrap_or_else(|| formula.place.clone());
        found.push(undeclared(&name, names).at(place));
    }
}

/// Builds the units of a formula. Returns `None` if a limit is exceeded, in which case `found` has
/// the error.
pub(crate) fn build(
    library: &mut Library<'_>,
    formula: &Merged,
    names: &Names<'_>,
    room: &Room,
    options: &CookOptions<'_>,
    found: &mut Findings,
) -> Option<Built> {
    let mut growth = Growth::new(library, found, room, options, &formula.variables);
    let scope = growth.draft.scope(None);
    let top = growth
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
            output = Legs::new(&mut growth, &here).legs(top, formula, options.preset.as_deref());
        }
        FormulaKind::Expansion => alone(&mut growth, top, formula, &here),
        FormulaKind::Workflow | FormulaKind::Aspect => {
            Steps::new(&mut growth, &here).steps(top, &formula.steps);
        }
    }
    if !matches!(formula.kind, FormulaKind::Convoy | FormulaKind::Analysis)
        && let Some(preset) = &options.preset
    {
        growth.found.push(no_presets(preset));
    }
    // Some steps are missing, so the checks below would only cause confusing errors.
    if growth.is_full() {
        return None;
    }
    Weaver::new(&mut growth, &here).weave_all(formula);
    let open_hooks = Hooks::new(&mut growth, &here).hooks(top, options.subject.as_ref());
    // Branches and gates may name any unit, so they come after everything else has been built.
    let mut composer = Composer::new(&mut growth, &here);
    composer.branches();
    composer.gates_by_rule();
    composer.report_unused_rules();
    // Advice and hooks add steps as well.
    if growth.is_full() {
        return None;
    }
    Some(Built {
        draft: growth.draft,
        top,
        scope,
        open_hooks,
        output,
    })
}

/// Cooks an expansion by itself, e.g. to check it.
///
/// It takes the place of an imaginary step `main`, which has the formula's name as its title, and
/// the formula's description.
fn alone(growth: &mut Growth<'_, '_>, top: UnitId, formula: &Merged, here: &Here<'_>) {
    // A template with others inside may have millions of steps. If even the least possible number
    // is too high, don't build any.
    let least = growth.least_of_template(0, formula);
    if let Some(first) = formula.template.first()
        && !growth.room_for(least, spot(first.source, &first.item))
    {
        return;
    }
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
    Steps::new(growth, &here).steps(top, &formula.template);
}

fn no_presets(preset: &str) -> Diagnostic {
    let message = format!("there is no preset `{}`", cut(preset));
    Diagnostic::error("unknown-preset", message)
        .help("only convoys have presets: remove the option")
}
