//! Many values in few numbers, and whether two systems differ.

use serde::{Deserialize, Serialize};
use windlass_base::counted;

use crate::edits::Draw;
use crate::metric::Better;

/// What is known of the values of a metric.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many there are.
    pub count: usize,
    /// How many cases have none: it is undefined there.
    pub undefined: usize,
    /// Their mean; nothing where there are none, as for all others.
    pub mean: Option<f64>,
    /// The largest value that at least 95 % of them reach: the tail where more is better.
    #[serde(default)]
    pub p5: Option<f64>,
    /// The smallest value that at least half of them do not exceed.
    pub p50: Option<f64>,
    /// The smallest value that at least 95 % of them do not exceed: the tail where less is better.
    pub p95: Option<f64>,
    /// The smallest.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

impl Summary {
    /// Of the values of cases; one that is no finite number counts as undefined.
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
    /// What 95 % of them are no worse than.
    #[must_use]
    pub fn tail(&self, better: Better) -> Option<f64> {
        match better {
            Better::More => self.p5,
            Better::Less | Better::Neither => self.p95,
        }
    }

    /// The worst of them.
    #[must_use]
    pub fn worst(&self, better: Better) -> Option<f64> {
        match better {
            Better::More => self.min,
            Better::Less | Better::Neither => self.max,
        }
    }
}

/// The value at the nearest rank; `sorted` is.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// The value that so many percent reach; `sorted` is.
fn upper(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(sorted.len().checked_sub(rank)?).copied()
}

/// What two systems have to do with each other, over the same cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// How many cases both have a value for.
    pub cases: usize,
    /// The mean of the differences, the first less the second.
    pub difference: f64,
    /// The ends of the 95 % confidence interval of that mean; none where there is one group alone, of which nothing can be drawn anew.
    pub interval: Option<(f64, f64)>,
    /// How many of them have nothing to do with each other: those that ask the same count as one.
    #[serde(default)]
    pub groups: usize,
    /// Whether 0 lies within the interval, or there are fewer than 6 groups, so that the difference may well be chance.
    pub is_noise: bool,
}

impl Comparison {
    /// That there are too few cases to tell a difference from chance, whatever it is, if so.
    #[must_use]
    pub fn too_few(&self) -> Option<String> {
        (self.groups < ENOUGH).then(|| {
            let cases = counted(self.groups, "independent case");
            format!("of {cases} nobody can say, {ENOUGH} are needed")
        })
    }
}

/// How often cases are drawn anew.
const DRAWS: usize = 2_000;
/// Of fewer cases than this, chance would have all differ the same way too often: with 5 in one of 16 times.
const ENOUGH: usize = 6;

/// The value of one system, and that of the other, of the same case.
pub type Pair = (Option<f64>, Option<f64>);

/// A paired bootstrap over the cases that both have a value for, none of which has to do with another; nothing where there are none. The
/// same pairs and seed give the same answer.
#[must_use]
pub fn compare(pairs: &[Pair], seed: u64) -> Option<Comparison> {
    let single: Vec<Vec<Pair>> = pairs.iter().map(|pair| vec![*pair]).collect();
    compare_groups(&single, seed)
}

/// The same, where cases that have to do with each other (they ask the same) are in one group: groups are drawn, as a whole.
#[must_use]
pub(crate) fn compare_groups(groups: &[Vec<Pair>], seed: u64) -> Option<Comparison> {
    let difference = |(one, other): &Pair| {
        let difference = (*one)? - (*other)?;
        difference.is_finite().then_some(difference)
    };
    // The sum of each group, and how many cases it has.
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

/// A number as people read it: four digits behind the point at most.
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
    fn percentiles_are_values_that_occur() {
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
    fn the_same_question_asked_often_is_no_more_certain() {
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
    fn a_clear_difference_is_told_from_chance_and_always_alike() {
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
