//! The progress of a molecule: its completed steps, its pace and its expected end.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Molecule, Stamp};
use windlass_plan::Status;

/// The minimum for a forecast: completed steps, and microseconds since the first one started. With
/// less data, the pace would be arbitrary.
const MIN_COMPLETED: usize = 3;
const MIN_TAKEN: i64 = 60_000_000;

pub(crate) fn counts(molecule: &Molecule) -> BTreeMap<&'static str, usize> {
    let counts = molecule.counts().into_iter();
    counts
        .map(|(status, count)| (status.as_str(), count))
        .collect()
}

/// A molecule's progress.
#[derive(Debug, Clone, Serialize)]
pub struct MolProgress {
    /// The molecule's ID.
    pub id: String,
    /// The number of steps.
    pub total: usize,
    /// The number of completed or skipped steps.
    pub done: usize,
    /// The percentage of `done`, rounded down. 100 without any steps.
    pub percent: usize,
    /// The number of steps by status.
    pub steps: BTreeMap<&'static str, usize>,
    /// Completed steps per hour since the first one started. `None` without enough data for a
    /// forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// The expected end at the current pace. `None` without a pace, or if the molecule is not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Stamp>,
    /// The outcome, or `None` until the molecule has ended.
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
        // Once the molecule has ended, its pace no longer changes.
        let until = molecule.ended_at.unwrap_or(now);
        let taken = begun.map_or(0, |begun| until.since(begun)).max(0);
        // Skipped steps are done, but say nothing about the pace.
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

#[derive(Debug, Clone, Copy)]
struct Pace {
    completed: usize,
    /// The time since the first step started, in microseconds.
    taken: i64,
}

impl Pace {
    /// Returns `None` without enough data for a forecast.
    fn of(completed: usize, taken: i64) -> Option<Self> {
        let is_enough = completed >= MIN_COMPLETED && taken >= MIN_TAKEN;
        is_enough.then_some(Self { completed, taken })
    }

    /// The pace in steps per hour, rounded down to one decimal.
    fn per_hour(self) -> f64 {
        let tenths = self.completed as i128 * 36_000_000_000 / i128::from(self.taken);
        tenths as f64 / 10.0
    }

    /// The expected time for `left` more steps, in microseconds. Uses integer arithmetic, so that
    /// every platform gets the same result.
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
