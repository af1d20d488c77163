//! Compares a measurement, case by case, with the one in which all heuristics are on.

use std::collections::BTreeMap;

use super::answers::{NAMED, RIGHT, WRONG};
use super::area::Area;

/// Losses of a measurement compared with another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cost {
    /// Loss of right results, in percent of the cases that can change. It's negative if there are
    /// more right results than before.
    pub(super) points: f64,
    /// Half of the 95 % confidence interval around `points`.
    pub(super) interval: f64,
    /// Loss of results that are right or at least named, also in percent.
    pub(super) named: f64,
    /// Number of cases that have become wrong.
    pub(super) wrong: usize,
}

impl Cost {
    pub(super) fn at_most(self) -> f64 {
        self.points + self.interval
    }
}

/// Compares `found` with `before`, which have one result per case, in the order of `classes`.
pub(super) fn cost(area: &Area, classes: &[String], before: &str, found: &str) -> Cost {
    let can_change = classes.iter().filter(|class| **class != area.constant);
    let all = can_change.count().max(1) as f64;
    let pairs = || before.chars().zip(found.chars());
    let count = |is_it: &dyn Fn(char, char) -> bool| -> f64 {
        pairs().filter(|(old, new)| is_it(*old, *new)).count() as f64
    };
    let lost = count(&|old, new| old == RIGHT && new != RIGHT);
    let gained = count(&|old, new| old != RIGHT && new == RIGHT);
    let is_known = |result: char| result == RIGHT || result == NAMED;
    let forgotten = count(&|old, new| is_known(old) && !is_known(new));
    let learnt = count(&|old, new| !is_known(old) && is_known(new));
    let wrong = pairs().filter(|(old, new)| *old != WRONG && *new == WRONG);
    // Variance of a difference of paired shares (McNemar). If nothing changed, this would be zero,
    // although up to three cases might still change in another sample (rule of three). Hence the
    // minimum.
    let variance = lost + gained - (lost - gained).powi(2) / all;
    let spread = (1.96 * variance.max(0.0).sqrt()).max(3.0);
    Cost {
        points: (lost - gained) * 100.0 / all,
        interval: spread * 100.0 / all,
        named: (forgotten - learnt) * 100.0 / all,
        wrong: wrong.count(),
    }
}

/// Returns the share of right results by class, in percent, with the number of cases.
pub(super) fn shares<'a>(classes: &'a [String], found: &str) -> BTreeMap<&'a str, (f64, usize)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (class, result) in classes.iter().zip(found.chars()) {
        let (right, all) = counts.entry(class).or_default();
        *right += usize::from(result == RIGHT);
        *all += 1;
    }
    let share = |(right, all): (usize, usize)| (right as f64 * 100.0 / all as f64, all);
    counts
        .into_iter()
        .map(|(class, counts)| (class, share(counts)))
        .collect()
}

/// Returns a class whose share fell below its floor. If it was below the floor before, it only
/// counts if the share is even lower now.
pub(super) fn broken_floor(
    area: &Area,
    classes: &[String],
    before: &str,
    found: &str,
) -> Option<String> {
    let (before, found) = (shares(classes, before), shares(classes, found));
    let is_broken = |(class, floor): &(&String, &f64)| {
        let share = |shares: &BTreeMap<&str, (f64, usize)>| {
            shares
                .get(class.as_str())
                .map_or(100.0, |(share, _)| *share)
        };
        share(&found) < **floor && share(&found) < share(&before)
    };
    let mut floors = area.floors.iter();
    floors.find(is_broken).map(|(class, _)| class.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_counts_cases_that_can_change() {
        let area = Area::named("evidence").unwrap();
        let classes: Vec<String> = ["unchanged", "edited", "edited", "deleted", "deleted"]
            .map(str::to_owned)
            .into();
        let found = cost(&area, &classes, "+++.?", "++.!+");
        assert_eq!((found.points, found.named, found.wrong), (0.0, 25.0, 1));
        assert!(found.at_most() >= 75.0);
        let broken = broken_floor(&area, &classes, "+++.?", "++.!+");
        assert_eq!(broken.as_deref(), Some("edited"));
    }
}
