//! Summaries of values, and comparisons of two systems.

use serde::{Deserialize, Serialize};
use windlass_base::counted;

use crate::edits::Draw;
use crate::metric::Better;

/// The values of a metric in a few numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of cases with a value.
    pub count: usize,
    /// The number of cases in which the metric is not defined.
    pub undefined: usize,
    /// The mean. If there are no values, this is `None`, and so are all others below.
    pub mean: Option<f64>,
    /// The largest value that at least 95 % of the values reach. If more is better, this is the
    /// tail.
    #[serde(default)]
    pub p5: Option<f64>,
    /// The median: the smallest value that at least half of the values do not exceed.
    pub p50: Option<f64>,
    /// The smallest value that at least 95 % of the values do not exceed. If less is better, this
    /// is the tail.
    pub p95: Option<f64>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
}

impl Summary {
    /// Summarizes the values of a metric. A value that is not finite counts as undefined.
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let all: Vec<Option<f64>> = values.into_iter().collect();
        let mut values: Vec<f64> = all
            .iter()
            .flatten()
            .copied()
            .filter(|v| v.is_finite())
            .collect();
        values.sort_by(f64::total_cmp);
        let count = values.len();
        Self {
            count,
            undefined: all.len() - count,
            mean: (count > 0).then(|| values.iter().sum::<f64>() / count as f64),
            p5: upper(&values, 95),
            p50: percentile(&values, 50),
            p95: percentile(&values, 95),
            min: values.first().copied(),
            max: values.last().copied(),
        }
    }
}

impl Summary {
    /// The value that 95 % of the values do not go beyond, at the end that is worse. For
    /// [`Better::Neither`], we take the upper end.
    #[must_use]
    pub fn tail(&self, better: Better) -> Option<f64> {
        match better {
            Better::More => self.p5,
            Better::Less | Better::Neither => self.p95,
        }
    }

    /// The worst value. For [`Better::Neither`], we take the largest one.
    #[must_use]
    pub fn worst(&self, better: Better) -> Option<f64> {
        match better {
            Better::More => self.min,
            Better::Less | Better::Neither => self.max,
        }
    }
}

/// Returns the nearest-rank percentile. `sorted` must be in ascending order.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Returns the largest value that `percent` of the values reach.
fn upper(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(sorted.len().checked_sub(rank)?).copied()
}

/// A comparison of two systems over the same cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The number of cases for which both systems have a value.
    pub cases: usize,
    /// The mean of the differences between the first and the second system.
    pub difference: f64,
    /// The 95 % confidence interval of the mean. If there is only one group, we cannot resample, so
    /// this is `None`.
    pub interval: Option<(f64, f64)>,
    /// The number of groups that do not depend on each other. Cases with the same question do, so
    /// they are in one group.
    #[serde(default)]
    pub groups: usize,
    /// True if the difference may be due to chance, because 0 is in the interval or because there
    /// are fewer than 6 groups.
    pub is_noise: bool,
}

impl Comparison {
    /// Returns a message if there are too few groups to tell a difference from chance.
    #[must_use]
    pub fn too_few(&self) -> Option<String> {
        (self.groups < ENOUGH).then(|| {
            let cases = counted(self.groups, "independent case");
            format!("only {cases}, {ENOUGH} are needed")
        })
    }
}

/// Number of bootstrap samples. With 2,000 of them, there are 50 beyond each end of the interval.
const DRAWS: usize = 2_000;
/// Minimum number of groups for a conclusion. With 5 groups, all differences have the same sign in
/// one of 16 trials just by chance, and that is more than 5 %.
const ENOUGH: usize = 6;

/// The values of two systems in the same case.
pub type Pair = (Option<f64>, Option<f64>);

/// Compares two systems by a paired bootstrap, or returns `None` if there is no case in which both
/// have a value.
///
/// This assumes that the cases do not depend on each other. For the same pairs and seed, the result
/// is always the same.
#[must_use]
pub fn compare(pairs: &[Pair], seed: u64) -> Option<Comparison> {
    let single: Vec<Vec<Pair>> = pairs.iter().map(|pair| vec![*pair]).collect();
    compare_groups(&single, seed)
}

/// Like [`compare`], but for cases that may depend on each other, for example because several
/// archetypes ask the same question.
///
/// We resample whole groups of such cases. If we took them to be independent, the interval would be
/// too narrow.
#[must_use]
pub(crate) fn compare_groups(groups: &[Vec<Pair>], seed: u64) -> Option<Comparison> {
    let difference = |(one, other): &Pair| {
        let difference = (*one)? - (*other)?;
        difference.is_finite().then_some(difference)
    };
    // For each group, the sum of the differences and the number of cases.
    let groups: Vec<(f64, usize)> = groups
        .iter()
        .map(|group| {
            let own: Vec<f64> = group.iter().filter_map(difference).collect();
            (own.iter().sum(), own.len())
        })
        .filter(|(_, cases)| *cases > 0)
        .collect();
    if groups.is_empty() {
        return None;
    }
    let mean = |sums: (f64, usize)| sums.0 / sums.1 as f64;
    let add = |all: (f64, usize), one: &(f64, usize)| (all.0 + one.0, all.1 + one.1);
    let mut draw = Draw::new(seed);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..groups.len()).map(|_| &groups[draw.below(groups.len())]);
            mean(drawn.fold((0.0, 0), add))
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let (low, high) = (means[DRAWS * 25 / 1000], means[DRAWS * 975 / 1000 - 1]);
    let all = groups.iter().fold((0.0, 0), add);
    Some(Comparison {
        cases: all.1,
        groups: groups.len(),
        difference: mean(all),
        interval: (groups.len() > 1).then_some((low, high)),
        is_noise: groups.len() < ENOUGH || (low <= 0.0 && high >= 0.0),
    })
}

/// Formats a number with at most four decimals.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_occurring_values() {
        let summary = Summary::of((1..=20).map(|n| Some(f64::from(n))).chain([None]));
        assert_eq!((summary.count, summary.undefined), (20, 1));
        assert_eq!(
            (summary.mean, summary.p50, summary.p95),
            (Some(10.5), Some(10.0), Some(19.0))
        );
        assert_eq!((summary.min, summary.max), (Some(1.0), Some(20.0)));
        assert_eq!(summary.p5, Some(2.0), "19 of 20 reach it");
        assert_eq!(
            (summary.tail(Better::More), summary.tail(Better::Less)),
            (Some(2.0), Some(19.0)),
            "the tail is where the bad ones are"
        );
        let none = Summary::of([None, Some(f64::NAN)]);
        assert_eq!((none.undefined, none.mean, none.max), (2, None, None));
    }

    #[test]
    fn repeated_question_adds_no_certainty() {
        let pair = |n: i32| (Some(0.5 + f64::from(n % 4) / 10.0), Some(0.58));
        let once: Vec<Vec<Pair>> = (0..8).map(|n| vec![pair(n)]).collect();
        let often: Vec<Vec<Pair>> = (0..8).map(|n| vec![pair(n); 9]).collect();
        let (once, often) = (
            compare_groups(&once, 7).unwrap(),
            compare_groups(&often, 7).unwrap(),
        );
        assert_eq!((often.cases, often.groups), (72, 8));
        let (once, often) = (once.interval.unwrap(), often.interval.unwrap());
        assert!((once.0 - often.0).abs() < 1e-9 && (once.1 - often.1).abs() < 1e-9);
        let of_one: Vec<Pair> = vec![(Some(1.0), Some(0.0)); 50];
        let of_one = compare_groups(&[of_one], 7).unwrap();
        assert!(of_one.is_noise);
        assert_eq!(of_one.interval, None, "nothing is known of others");
    }

    #[test]
    fn clear_difference_is_no_noise() {
        let clear: Vec<_> = (0..20)
            .map(|n| (Some(0.9 - f64::from(n % 3) / 50.0), Some(0.4)))
            .collect();
        let compared = compare(&clear, 7).unwrap();
        let low = compared.interval.unwrap().0;
        assert!(!compared.is_noise && low > 0.4, "{compared:?}");
        assert_eq!(compare(&clear, 7), compare(&clear, 7));
        let few = |count| compare(&clear[..count], 7).unwrap().is_noise;
        assert!(
            few(1) && few(5) && !few(6),
            "of few cases nothing is certain"
        );
        let chance: Vec<_> = (0..20)
            .map(|n| (Some(f64::from(n % 2)), Some(f64::from((n + 1) % 2))))
            .collect();
        assert!(compare(&chance, 7).unwrap().is_noise);
        assert_eq!(compare(&[(None, Some(1.0))], 7), None);
    }
}
