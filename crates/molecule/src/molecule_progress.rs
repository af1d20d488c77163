//! How far a molecule is, and when it may be done.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Molecule, Stamp};
use windlass_plan::Status;

/// How many steps of a molecule stand how.
pub(crate) fn counts(molecule: &Molecule) -> BTreeMap<&'static str, usize> {
    let counts = molecule.counts().into_iter();
    counts
        .map(|(status, count)| (status.as_str(), count))
        .collect()
}

/// How far a molecule is.
#[derive(Debug, Clone, Serialize)]
pub struct MolProgress {
    /// Its id.
    pub id: String,
    /// How many steps it has.
    pub total: usize,
    /// How many of them are completed or skipped.
    pub done: usize,
    /// The same in percent, rounded down.
    pub percent: usize,
    /// How many steps stand how.
    pub steps: BTreeMap<&'static str, usize>,
    /// How many steps were completed an hour since the first was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// When it is done, if it goes on like this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Stamp>,
    /// How it ended.
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
        // In whole numbers, so that it is the same everywhere.
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
