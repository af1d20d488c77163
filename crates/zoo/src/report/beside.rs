//! Systems side by side: what each reaches on the mean, over the same cases.

use std::collections::{BTreeMap, BTreeSet};

use crate::metric::Metric;
use crate::number;
use crate::results::{CaseResult, Results};

/// The mean of a metric of each system that has it, over the cases in which all of these have a value: what one of them was
/// not asked, did not answer, or has no value in is easier or harder than the rest.
pub(super) struct Beside<'a> {
    /// How many cases these are.
    pub(super) cases: usize,
    /// The systems that have a value in any case, with their mean over these; nothing where there is no such case.
    means: BTreeMap<&'a str, Option<f64>>,
    /// All that were measured, with or without a value.
    measured: BTreeSet<&'a str>,
}

impl<'a> Beside<'a> {
    /// Of the cases of `results` that `is_meant` says.
    pub(super) fn of(
        results: &'a Results,
        metric: Metric,
        is_meant: impl Fn(&CaseResult) -> bool,
    ) -> Self {
        let mut measured = BTreeSet::new();
        let mut by_case: BTreeMap<(&str, &str), BTreeMap<&str, f64>> = BTreeMap::new();
        for case in results.cases.iter().filter(|case| is_meant(case)) {
            if case.values.contains_key(&metric) {
                measured.insert(&*case.system);
            }
            if let Some(value) = case.value(metric).filter(|value| value.is_finite()) {
                let own = by_case.entry((&*case.archetype, &*case.case)).or_default();
                own.insert(&*case.system, value);
            }
        }
        let having: BTreeSet<&str> = by_case.values().flat_map(BTreeMap::keys).copied().collect();
        by_case.retain(|_, values| values.len() == having.len());
        let count = by_case.len();
        let mean = |system: &str| {
            let sum: f64 = by_case
                .values()
                .filter_map(|values| values.get(system))
                .sum();
            (count > 0).then(|| sum / count as f64)
        };
        Self {
            cases: count,
            means: having
                .into_iter()
                .map(|system| (system, mean(system)))
                .collect(),
            measured,
        }
    }

    /// The mean of `system` in words: `–` where it is undefined, nothing where it was not measured.
    pub(super) fn told(&self, system: &str) -> String {
        match self.means.get(system).copied().flatten() {
            Some(mean) => number(mean),
            None if self.measured.contains(system) => "–".to_owned(),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OURS;

    fn case(name: &str, system: &str, value: Option<f64>) -> CaseResult {
        CaseResult {
            archetype: "docs".to_owned(),
            case: name.to_owned(),
            system: system.to_owned(),
            kind: None,
            values: BTreeMap::from([(Metric::NoiseRatio, value)]),
            asked: String::new(),
            expected: Vec::new(),
            shown: Vec::new(),
            ranking: None,
            printed: None,
            failure: None,
        }
    }

    #[test]
    fn means_are_of_the_cases_that_all_have() {
        let results = Results::of(vec![
            case("easy", OURS, Some(0.2)),
            case("hard", OURS, Some(0.8)),
            case("easy", "rg", Some(0.4)),
            case("hard", "rg", None),
            case("easy", "broken", None),
        ]);
        let beside = Beside::of(&results, Metric::NoiseRatio, |_| true);
        let told = [OURS, "rg", "broken", "other"].map(|system| beside.told(system));
        assert_eq!(
            (beside.cases, told),
            (1, ["0.2", "0.4", "–", ""].map(str::to_owned))
        );
        let none = Beside::of(&results, Metric::NoiseRatio, |case| case.case == "hard");
        assert_eq!((none.cases, none.told(OURS)), (1, "0.8".to_owned()));
        assert_eq!(Beside::of(&results, Metric::Mrr, |_| true).told(OURS), "");
    }
}
