//! Progress of a molecule: completed steps, pace, and expected end.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Molecule, Stamp};
use windlass_plan::Status;

/// Returns the number of steps by status.
pub(crate) fn counts(molecule: &Molecule) -> BTreeMap<&'static str, usize> {
    let counts = molecule.counts().into_iter();
    counts
        .map(|(status, count)| (status.as_str(), count))
        .collect()
}

/// Progress of a molecule.
#[derive(Debug, Clone, Serialize)]
pub struct MolProgress {
    /// Id of the molecule.
    pub id: String,
    /// Number of steps.
    pub total: usize,
    /// Number of completed or skipped steps.
    pub done: usize,
    /// Percentage of completed or skipped steps, rounded down.
    pub percent: usize,
    /// Number of steps by status.
    pub steps: BTreeMap<&'static str, usize>,
    /// Completed steps per hour since the first step was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// Expected end at the current pace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Stamp>,
    /// Outcome of the molecule, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<windlass_plan::Outcome>,
}

impl MolProgress {
    pub(crate) fn of(molecule: &Molecule, now: Stamp) -> Self {
        let is = |wanted: &[Status]| {
            let steps = molecule.steps.iter();
            steps.filter(|step| wanted.contains(&step.shown())).count()
        };
        let total = molecule.steps.len();
        let done = is(&[Status::Completed, Status::Skipped]);
        let begun = molecule
            .steps
            .iter()
            .filter_map(|step| step.started_at)
            .min();
        let until = molecule.ended_at.unwrap_or(now);
        let taken = begun.map_or(0, |begun| until.since(begun)).max(0);
        let completed = is(&[Status::Completed]);
        let has_pace = completed > 0 && taken > 0;
        let left = total - done;
        // Integer arithmetic gives the same result on every platform.
        let more = i128::from(taken) * left as i128 / (completed as i128).max(1);
        let done_at = i64::try_from(more)
            .ok()
            .map(|more| Stamp::from_micros(now.micros().saturating_add(more)).to_millis());
        let tenths = (completed as i128 * 36_000_000_000) / i128::from(taken).max(1);
        Self {
            id: molecule.id.clone(),
            total,
            done,
            percent: (done * 100).checked_div(total).unwrap_or(100),
            steps: counts(molecule),
            per_hour: has_pace.then(|| tenths as f64 / 10.0),
            done_at: done_at.filter(|_| has_pace && molecule.is_open()),
            outcome: molecule.outcome,
        }
    }
}
