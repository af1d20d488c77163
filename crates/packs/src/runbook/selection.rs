//! Input of a selection: a run, and the dependencies between its steps.

use std::collections::BTreeSet;

use windlass_engine::RunResult;
use windlass_plan::{Catalog, EdgeReason, Plan, StepIndex};
use windlass_repo::Snapshot;

/// Input of [`crate::select`].
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Plan of the run.
    pub plan: &'a Plan,
    /// Results of its steps.
    pub result: &'a RunResult,
    /// Kinds of its steps.
    pub catalog: &'a Catalog,
    /// State of the files during the run.
    pub snapshot: &'a Snapshot,
    /// Default number of entries that a section shows at once.
    pub max_items: usize,
}

/// Returns `step` and every step whose output or status it uses, directly or indirectly.
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

/// True if the output of `step` may depend on files of the repository: the step or one it uses reads them.
#[must_use]
pub fn rests_on_files(plan: &Plan, catalog: &Catalog, step: StepIndex) -> bool {
    made_of(plan, step).into_iter().any(|step| {
        let planned = plan.step(step);
        let kind = planned.and_then(|planned| catalog.get(&planned.uses));
        kind.is_none_or(|kind| kind.effects.reads_files || kind.effects.nested)
    })
}

/// Returns the steps whose output or status `step` uses.
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

/// True if the same repository state reproduces the output of `step`: its kind, and those of all steps it depends on,
/// are reproducible.
pub(crate) fn is_reproducible(selection: &Selection<'_>, step: StepIndex) -> bool {
    made_of(selection.plan, step).into_iter().all(|step| {
        let planned = selection.plan.step(step);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        kind.is_some_and(|kind| kind.effects.reproducible)
    })
}
