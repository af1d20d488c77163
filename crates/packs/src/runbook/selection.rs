//! The input of a selection, and the dependencies between a run's steps.

use std::collections::BTreeSet;

use windlass_engine::RunResult;
use windlass_plan::{Catalog, EdgeReason, Plan, StepIndex};
use windlass_repo::Snapshot;

/// Input for [`crate::select`].
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// The run's plan.
    pub plan: &'a Plan,
    /// The results of its steps.
    pub result: &'a RunResult,
    /// The run's step kinds.
    pub catalog: &'a Catalog,
    /// The state of the files during the run.
    pub snapshot: &'a Snapshot,
    /// Number of entries a section shows at once, unless it says otherwise.
    pub max_items: usize,
}

/// Returns `step` and every step whose output or status it uses, directly or not.
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

/// Returns true if the output of `step` may depend on files in the repository, because the step
/// itself or one it uses reads files.
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

/// Returns true if the same state of the repository reproduces the output of `step`. Its own kind
/// and the kinds of all steps it uses have to be reproducible.
pub(crate) fn is_reproducible(selection: &Selection<'_>, step: StepIndex) -> bool {
    made_of(selection.plan, step).into_iter().all(|step| {
        let planned = selection.plan.step(step);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        kind.is_some_and(|kind| kind.effects.reproducible)
    })
}
