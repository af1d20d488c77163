//! The input to [`select`](crate::select), and how a run's steps depend on each other.

use std::collections::BTreeSet;

use windlass_engine::RunResult;
use windlass_plan::{Catalog, EdgeReason, Plan, StepIndex};
use windlass_repo::Snapshot;

/// The arguments of [`select`](crate::select).
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// The plan that was run.
    pub plan: &'a Plan,
    /// The result, with an entry for each step of the plan.
    pub result: &'a RunResult,
    /// All step kinds of the run.
    pub catalog: &'a Catalog,
    /// The files as they were during the run.
    pub snapshot: &'a Snapshot,
    /// Number of entries that a section shows at once, unless the runbook says otherwise.
    pub max_items: usize,
}

/// All steps whose output or status `step` uses, directly or not. The step itself is among them.
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

/// True if the output of `step` may depend on files, because it reads some or uses a step that
/// does. An unknown step kind might.
#[must_use]
pub fn rests_on_files(plan: &Plan, catalog: &Catalog, step: StepIndex) -> bool {
    made_of(plan, step).into_iter().any(|step| {
        let planned = plan.step(step);
        let kind = planned.and_then(|planned| catalog.get(&planned.uses));
        kind.is_none_or(|kind| kind.effects.reads_files || kind.effects.nested)
    })
}

/// The steps whose output or status `step` uses directly. A step that just has to run earlier
/// (`needs`) does not count.
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

/// True if the same state of the repository always leads to the same output. For that, all steps
/// that `step` uses must be reproducible.
pub(crate) fn is_reproducible(selection: &Selection<'_>, step: StepIndex) -> bool {
    made_of(selection.plan, step).into_iter().all(|step| {
        let planned = selection.plan.step(step);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        kind.is_some_and(|kind| kind.effects.reproducible)
    })
}
