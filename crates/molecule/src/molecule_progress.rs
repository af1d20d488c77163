//! A molecule's completed steps, pace and expected end.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Molecule, Stamp};
use windlass_plan::Status;

/// Minimum data for a forecast: the number of completed steps, and the time since the first one
/// started in microseconds. With less, the pace would be arbitrary.
const MIN_COMPLETED: usize = 3;
const MIN_TAKEN: i64 = 60_000_000;

/// Returns the number of steps in each status.
pub(crate) fn counts(molecule: &Molecule) -> BTreeMap<&'static str, usize> {
    let counts = molecule.counts().into_iter();
    counts
        .map(|(status, count)| (status.as_str(), count))
        .collect()
}

/// A molecule's progress.
#[derive(Debug, Clone, Serialize)]
pub struct MolProgress {
    /// The molecule's id.
    pub id: String,
    /// Number of steps.
    pub total: usize,
    /// Number of completed or skipped steps.
    pub done: usize,
    /// Percentage of completed or skipped steps, rounded down.
    pub percent: usize,
    /// Number of steps by status.
    pub steps: BTreeMap<&'static str, usize>,
    /// Completed steps per hour since the first step started; absent until there is enough data for
    /// a forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// Expected end at the current pace; absent without a pace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Stamp>,
    /// The molecule's outcome; absent until it has ended.
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
        let pace = Pace::of(is(&[Status::Completed]), taken);
        let left = total - done;
        let done_at = pace.filter(|_| molecule.is_open());
        let done_at = done_at.and_then(|pace| pace.time_for(left));
        let done_at =
            done_at.map(|more| Stamp::from_micros(now.micros().saturating_add(more)).to_millis());
        Self {
            id: molecule.id.clone(),
            total,
            done,
            percent: (done * 100).checked_div(total).unwrap_or(100),
            steps: counts(molecule),
            per_hour: pace.map(Pace::per_hour),
            done_at,
            outcome: molecule.outcome,
        }
    }
}

/// The pace at which a molecule's steps get completed.
#[derive(Debug, Clone, Copy)]
struct Pace {
    completed: usize,
    /// Time since the first step started, in microseconds.
    taken: i64,
}

impl Pace {
    /// Returns the pace, or `None` if there are too few steps or too little time for a forecast.
    fn of(completed: usize, taken: i64) -> Option<Self> {
        let is_enough = completed >= MIN_COMPLETED && taken >= MIN_TAKEN;
        is_enough.then_some(Self { completed, taken })
    }

    /// Returns the completed steps per hour, with one decimal.
    fn per_hour(self) -> f64 {
        let tenths = self.completed as i128 * 36_000_000_000 / i128::from(self.taken);
        tenths as f64 / 10.0
    }

    /// Returns the expected time for `left` more steps, in microseconds. We use integer arithmetic
    /// so that every platform gets the same result.
    fn time_for(self, left: usize) -> Option<i64> {
        let more = i128::from(self.taken) * left as i128 / self.completed as i128;
        i64::try_from(more).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_needs_steps_and_time() {
        assert!(Pace::of(1, 400_000).is_none());
        assert!(Pace::of(50, MIN_TAKEN - 1).is_none());
        assert!(Pace::of(MIN_COMPLETED - 1, 3_600_000_000).is_none());
        let pace = Pace::of(3, 3_600_000_000).unwrap();
        assert_eq!(
            (pace.per_hour(), pace.time_for(2)),
            (3.0, Some(2_400_000_000))
        );
    }
}
