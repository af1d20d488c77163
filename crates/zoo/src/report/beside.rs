//! Ours beside another system: what each reaches on the mean, over the same cases.

use std::collections::BTreeMap;

use crate::metric::Metric;
use crate::results::{CaseResult, Results};
use crate::{OURS, number};

/// What ours and another system reach on the mean of a metric, over the cases in which both have a value: what one of them was not
/// asked, did not answer, or has no value in is easier or harder than the rest. No third system counts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Beside {
    cases: usize,
    ours: f64,
    other: f64,
}

impl Beside {
    fn of(values: &[(f64, f64)]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = |sum: f64| sum / count;
        (!values.is_empty()).then(|| Self {
            cases: values.len(),
            ours: mean(values.iter().map(|(ours, _)| ours).sum()),
            other: mean(values.iter().map(|(_, other)| other).sum()),
        })
    }
}

/// Ours and `other` in words, `OURS / OTHER (CASES)`, over the cases that `is_meant` says: `–` where both have a value in none, nothing
/// where the other was not measured.
pub(super) fn beside(
    results: &Results,
    metric: Metric,
    other: &str,
    is_meant: impl Fn(&CaseResult) -> bool,
) -> String {
    let cases = || results.cases.iter().filter(|case| is_meant(case));
    let of = |system: &str| -> BTreeMap<(&str, &str), Option<f64>> {
        let own = cases().filter(|case| case.system == system && case.values.contains_key(&metric));
        own.map(|case| ((&*case.archetype, &*case.case), case.value(metric)))
            .collect()
    };
    let (ours, others) = (of(OURS), of(other));
    if others.is_empty() {
        return String::new();
    }
    let both = ours.iter().filter_map(|(case, own)| {
        let pair = ((*own)?, (*others.get(case)?)?);
        (pair.0.is_finite() && pair.1.is_finite()).then_some(pair)
    });
    match Beside::of(&both.collect::<Vec<_>>()) {
        Some(Beside { cases, ours, other }) => {
            format!("{} / {} ({cases})", number(ours), number(other))
        }
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, system: &str, value: Option<f64>) -> CaseResult {
        CaseResult {
            values: BTreeMap::from([(Metric::NoiseRatio, value)]),
            ..CaseResult::new("docs", name, system)
        }
    }

    #[test]
    fn means_are_of_the_cases_that_both_have_whatever_a_third_did() {
        let results = Results::of(vec![
            case("easy", OURS, Some(0.2)),
            case("hard", OURS, Some(0.8)),
            case("easy", "rg", Some(0.4)),
            case("hard", "rg", None),
            case("easy", "bm25", Some(0.6)),
            case("hard", "bm25", Some(0.6)),
            case("easy", "broken", None),
        ]);
        let told = |system| beside(&results, Metric::NoiseRatio, system, |_| true);
        assert_eq!(told("rg"), "0.2 / 0.4 (1)");
        assert_eq!(told("bm25"), "0.5 / 0.6 (2)");
        assert_eq!((&*told("broken"), &*told("other")), ("–", ""));
        let hard = beside(&results, Metric::NoiseRatio, "bm25", |case| {
            case.case == "hard"
        });
        assert_eq!(hard, "0.8 / 0.6 (1)");
        assert_eq!(beside(&results, Metric::Mrr, "rg", |_| true), "");
    }
}
