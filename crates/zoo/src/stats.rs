//! Many values in few numbers, and whether two systems differ.

use serde::{Deserialize, Serialize};

/// What is known of the values of a metric.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many there are.
    pub count: usize,
    /// How many cases have none: it is undefined there.
    pub undefined: usize,
    /// Their mean; nothing where there are none, as for all others.
    pub mean: Option<f64>,
    /// The smallest value that at least half of them do not exceed.
    pub p50: Option<f64>,
    /// The smallest value that at least 95 % of them do not exceed.
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
            p50: percentile(&values, 50),
            p95: percentile(&values, 95),
            min: values.first().copied(),
            max: values.last().copied(),
        }
    }
}

/// The value at the nearest rank; `sorted` is.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// What two systems have to do with each other, over the same cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// How many cases both have a value for.
    pub cases: usize,
    /// The mean of the differences, the first less the second.
    pub difference: f64,
    /// The 95 % confidence interval of that mean.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether 0 lies within the interval, or there are fewer than 6 cases, so that the difference may well be chance.
    pub is_noise: bool,
}

/// How often cases are drawn anew.
const DRAWS: usize = 2_000;
/// Of fewer cases than this, chance would have all differ the same way too often: with 5 in one of 16 times.
const ENOUGH: usize = 6;

/// A paired bootstrap over the cases that both have a value for; nothing where there are none. The same pairs and seed give
/// the same answer.
#[must_use]
pub fn compare(pairs: &[(Option<f64>, Option<f64>)], seed: u64) -> Option<Comparison> {
    let both = pairs
        .iter()
        .filter_map(|(one, other)| Some(((*one)?, (*other)?)));
    let differences: Vec<f64> = both
        .map(|(one, other)| one - other)
        .filter(|difference| difference.is_finite())
        .collect();
    let cases = differences.len();
    if cases == 0 {
        return None;
    }
    let mut draw = Draw::new(seed);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            (0..cases)
                .map(|_| differences[draw.below(cases)])
                .sum::<f64>()
                / cases as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let (low, high) = (means[DRAWS * 25 / 1000], means[DRAWS * 975 / 1000 - 1]);
    Some(Comparison {
        cases,
        difference: differences.iter().sum::<f64>() / cases as f64,
        low,
        high,
        is_noise: cases < ENOUGH || (low <= 0.0 && high >= 0.0),
    })
}

/// A generator of numbers that look random and are always the same.
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// One whose numbers follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Below `limit`; 0 where that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    /// One of `list`; nothing where it is empty.
    pub fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
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
        let none = Summary::of([None, Some(f64::NAN)]);
        assert_eq!((none.undefined, none.mean, none.max), (2, None, None));
    }

    #[test]
    fn a_clear_difference_is_told_from_chance_and_always_alike() {
        let clear: Vec<_> = (0..20)
            .map(|n| (Some(0.9 - f64::from(n % 3) / 50.0), Some(0.4)))
            .collect();
        let compared = compare(&clear, 7).unwrap();
        assert!(!compared.is_noise && compared.low > 0.4, "{compared:?}");
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
