//! What a pack is selected of: a run, and which steps use which.

use std::collections::BTreeSet;

use windlass_engine::RunResult;
use windlass_plan::{Catalog, EdgeReason, Plan, StepIndex};
use windlass_repo::Snapshot;

/// What [`crate::select`] works on.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// The plan that was run.
    pub plan: &'a Plan,
    /// What became of its steps.
    pub result: &'a RunResult,
    /// The kinds of its steps.
    pub catalog: &'a Catalog,
    /// The state of the files that the run saw.
    pub snapshot: &'a Snapshot,
    /// How many entries a section shows at once, where the runbook does not say.
    pub max_items: usize,
}

/// `step` and every step whose output or status it uses, directly or not.
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

/// Whether what `step` gave may come from files of the repository: it reads them, or a step that it is made of does.
#[must_use]
pub fn rests_on_files(plan: &Plan, catalog: &Catalog, step: StepIndex) -> bool {
    made_of(plan, step).into_iter().any(|step| {
        let planned = plan.step(step);
        let kind = planned.and_then(|planned| catalog.get(&planned.uses));
        kind.is_none_or(|kind| kind.effects.reads_files || kind.effects.nested)
    })
}

/// The steps whose output or status `step` uses.
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

/// Whether the same repository state gives the same output of `step` again: its kind says so, and so it is
/// with every step whose output or status it uses.
pub(crate) fn is_reproducible(selection: &Selection<'_>, step: StepIndex) -> bool {
    made_of(selection.plan, step).into_iter().all(|step| {
        let planned = selection.plan.step(step);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        kind.is_some_and(|kind| kind.effects.reproducible)
    })
}
