//! Input of a selection, and the dependencies between the steps of a run.

use std::collections::BTreeSet;

use windlass_engine::RunResult;
use windlass_plan::{Catalog, EdgeReason, Plan, StepIndex};
use windlass_repo::Snapshot;

/// Input of [`crate::select`].
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Plan of the run.
    pub plan: &'a Plan,
    /// Results of the steps.
    pub result: &'a RunResult,
    /// Step kinds of the run.
    pub catalog: &'a Catalog,
    /// State of the files during the run.
    pub snapshot: &'a Snapshot,
    /// Number of entries that a section shows at once by default.
    pub max_items: usize,
}

/// Returns `step` and every step whose output or status it uses directly or indirectly.
pub(crate) fn made_of(plan: &Plan, step: StepIndex) -> BTreeSet<StepIndex> {
    let (mut seen, mut open) = (BTreeSet::from([step]), vec![step]);
    while let Some(step) = open.pop() {
        open.extend(
            used_by(plan, step)
                .into_iter()
                .filter(|need| seen.insert(*need)),
        );
    }
    seen
}

/// Returns true if the output of `step` may depend on files of the repository, because the step or a step that it uses
/// reads files.
#[must_use]
pub fn rests_on_files(plan: &Plan, catalog: &Catalog, step: StepIndex) -> bool {
    made_of(plan, step).into_iter().any(|step| {
        let planned = plan.step(step);
        let kind = planned.and_then(|planned| catalog.get(&planned.uses));
        kind.is_none_or(|kind| kind.effects.reads_files || kind.effects.nested)
    })
}

/// Returns the steps whose output or status `step` uses directly.
pub(crate) fn used_by(plan: &Plan, step: StepIndex) -> Vec<StepIndex> {
    let uses = |need: &StepIndex| {
        let reasons = plan.reasons(step, *need);
        reasons
            .iter()
            .any(|reason| !matches!(reason, EdgeReason::Needs { .. }))
    };
    let needs = plan.step(step).map_or(&[][..], |planned| &planned.needs);
    needs.iter().copied().filter(uses).collect()
}

/// Returns true if the same state of the repository reproduces the output of `step`. This is the case if its kind and
/// the kinds of all steps that it uses are reproducible.
pub(crate) fn is_reproducible(selection: &Selection<'_>, step: StepIndex) -> bool {
    made_of(selection.plan, step).into_iter().all(|step| {
        let planned = selection.plan.step(step);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        kind.is_some_and(|kind| kind.effects.reproducible)
    })
}
