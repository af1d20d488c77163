//! Ranks in the same way as trec_eval.
//!
//! Documents are ordered by score. If scores are equal, the larger name comes first, byte by byte.
//! The order in the answer doesn't matter. As in trec_eval, scores are rounded to 32 bits, so
//! smaller differences are ties. A document's gain is its grade. A query without an answer is like
//! one with an empty answer.

use std::collections::{BTreeMap, BTreeSet};

/// The grades of documents. 0 isn't relevant.
pub type Grades = BTreeMap<String, u32>;

/// The ranking of one query's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The grades of the documents in the answer, by rank.
    grades: Vec<u32>,
    /// All grades above 0, largest first. That's the best possible ranking.
    ideal: Vec<u32>,
}

impl Ranking {
    /// Ranks documents by score, as [`order`] does.
    #[must_use]
    pub fn of<'a>(answers: impl IntoIterator<Item = (&'a str, f64)>, grades: &Grades) -> Self {
        let mut ideal: Vec<u32> = grades
            .values()
            .copied()
            .filter(|grade| *grade > 0)
            .collect();
        ideal.sort_unstable_by(|one, other| other.cmp(one));
        let grade = |name: &&str| grades.get(*name).copied().unwrap_or(0);
        Self {
            grades: order(answers).iter().map(grade).collect(),
            ideal,
        }
    }

    /// The share of relevant documents that are among the first `k`, from 0 to 1. As for all
    /// metrics here, the result is `None` if no document is relevant.
    #[must_use]
    pub fn recall(&self, k: usize) -> Option<f64> {
        let found = self.grades.iter().take(k).filter(|grade| **grade > 0);
        self.share(found.count() as f64)
    }

    /// 1 if there's a relevant document among the first `k`, and 0 otherwise.
    #[must_use]
    pub fn success(&self, k: usize) -> Option<f64> {
        let found = self.grades.iter().take(k).any(|grade| *grade > 0);
        self.defined(f64::from(u8::from(found)))
    }

    /// The reciprocal rank of the first relevant document, or 0 if there's none in the answer.
    #[must_use]
    pub(crate) fn reciprocal_rank(&self) -> Option<f64> {
        let first = self.grades.iter().position(|grade| *grade > 0);
        self.defined(first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0)))
    }

    /// The average precision, which is the mean of the precisions at the ranks of all relevant
    /// documents. A document that isn't in the answer counts as 0.
    #[must_use]
    pub(crate) fn average_precision(&self) -> Option<f64> {
        let (mut found, mut sum) = (0.0, 0.0);
        for (at, grade) in self.grades.iter().enumerate() {
            if *grade > 0 {
                found += 1.0;
                sum += found / (at as f64 + 1.0);
            }
        }
        self.share(sum)
    }

    /// The normalized discounted cumulative gain of the whole ranking, from 0 to 1.
    #[must_use]
    pub(crate) fn ndcg(&self) -> Option<f64> {
        self.defined(gain(&self.grades) / gain(&self.ideal))
    }

    fn share(&self, sum: f64) -> Option<f64> {
        self.defined(sum / self.ideal.len() as f64)
    }

    fn defined(&self, value: f64) -> Option<f64> {
        (!self.ideal.is_empty()).then_some(value)
    }
}

/// Sorts documents by rank. If a document is repeated, its highest score counts. NaN comes last,
/// and scores that are the same in 32 bits are ties.
#[must_use]
pub fn order<'a>(answers: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<&'a str> {
    let score = |score: f64| match score.is_nan() {
        true => f32::NEG_INFINITY,
        // -0 and 0 should be a tie, and adding 0 turns the former into the latter.
        false => score as f32 + 0.0,
    };
    let mut answers: Vec<(&str, f32)> = answers
        .into_iter()
        .map(|(name, given)| (name, score(given)))
        .collect();
    answers.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(one.0)));
    let mut named = BTreeSet::new();
    answers.retain(|(name, _)| named.insert(*name));
    answers.into_iter().map(|(name, _)| name).collect()
}

/// The sum of the grades, each divided by the binary logarithm of the rank plus one.
fn gain(grades: &[u32]) -> f64 {
    let gains = grades.iter().enumerate();
    gains
        .map(|(at, grade)| f64::from(*grade) / (at as f64 + 2.0).log2())
        // `sum` would return -0 if there's nothing to add.
        .fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(answers: &[(&str, f64)], grades: &[(&str, u32)]) -> Ranking {
        let grades = grades
            .iter()
            .map(|(name, grade)| ((*name).to_owned(), *grade));
        Ranking::of(answers.iter().copied(), &grades.collect())
    }

    #[track_caller]
    fn is(value: Option<f64>, expected: f64) {
        let value = value.expect("it is defined");
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    /// The documents at ranks 1 to 5 have the grades 1, 0, 3, 0 and 2. There's also one with grade
    /// 1 that isn't in the answer.
    #[test]
    fn metrics_match_hand_computed_values() {
        let ranking = ranking(
            &[("a", 9.0), ("b", 8.0), ("c", 7.0), ("d", 6.0), ("e", 5.0)],
            &[("a", 1), ("c", 3), ("e", 2), ("z", 1), ("b", 0)],
        );
        is(ranking.recall(1), 0.25);
        is(ranking.recall(3), 0.5);
        is(ranking.recall(100), 0.75);
        is(ranking.success(1), 1.0);
        is(ranking.reciprocal_rank(), 1.0);
        // (1/1 + 2/3 + 3/5 + 0) / 4
        is(ranking.average_precision(), 0.566_666_666_666_666_7);
        // 1/log2(2) + 3/log2(4) + 2/log2(6) = 1 + 1.5 + 0.773705614469083
        // 3/log2(2) + 2/log2(3) + 1/log2(4) + 1/log2(5) = 3 + 1.261859507142915 + 0.5 + 0.430676558073393
        is(
            ranking.ndcg(),
            3.273_705_614_469_083 / 5.192_536_065_216_308,
        );
    }

    #[test]
    fn ties_rank_larger_names_first() {
        // The ranks are b, a, A.
        let answers = [("A", 1.0), ("a", 1.0), ("b", 1.0)];
        is(ranking(&answers, &[("b", 1)]).reciprocal_rank(), 1.0);
        is(ranking(&answers, &[("a", 1)]).reciprocal_rank(), 0.5);
        is(ranking(&answers, &[("A", 1)]).reciprocal_rank(), 1.0 / 3.0);
    }

    #[test]
    fn answer_order_and_repeats_do_not_count() {
        let one = ranking(
            &[("a", 1.0), ("b", 2.0), ("a", 3.0), ("a", 3.0)],
            &[("b", 1)],
        );
        is(one.reciprocal_rank(), 0.5);
        is(one.recall(2), 1.0);
        is(
            ranking(&[("a", f64::NAN), ("b", -5.0)], &[("b", 1)]).reciprocal_rank(),
            1.0,
        );
    }

    #[test]
    fn scores_tie_in_32_bits() {
        let rank = |first: f64, other| {
            let answers = [("a", first), ("b", other)];
            ranking(&answers, &[("a", 1)]).reciprocal_rank()
        };
        is(rank(1.000_000_01, 1.0), 0.5);
        is(rank(1.000_001, 1.0), 1.0);
        is(rank(0.0, -0.0), 0.5);
        is(rank(1e300, 1e200), 0.5);
    }

    #[test]
    fn empty_answer_is_zero_no_relevance_undefined() {
        let empty = ranking(&[], &[("a", 1)]);
        for value in [
            empty.recall(5),
            empty.success(5),
            empty.reciprocal_rank(),
            empty.average_precision(),
            empty.ndcg(),
        ] {
            is(value, 0.0);
            assert!(value.is_some_and(f64::is_sign_positive));
        }
        let vacuous = ranking(&[("a", 1.0)], &[("a", 0)]);
        assert_eq!(vacuous.ndcg(), None);
        assert_eq!(vacuous.recall(1), None);
        assert_eq!(vacuous.average_precision(), None);
    }

    proptest::proptest! {
        #[test]
        fn metrics_lie_between_0_and_1(
            answers in proptest::collection::vec(("[a-f]", -3.0..3.0f64), 0..12),
            grades in proptest::collection::btree_map("[a-f]", 0..4u32, 0..6),
        ) {
            let ranking = Ranking::of(answers.iter().map(|(name, score)| (name.as_str(), *score)), &grades);
            for value in [ranking.recall(3), ranking.success(3), ranking.reciprocal_rank(), ranking.average_precision(), ranking.ndcg()] {
                let is_within = value.is_none_or(|value| (0.0..=1.0 + 1e-12).contains(&value));
                proptest::prop_assert!(is_within, "{value:?}");
                proptest::prop_assert_eq!(value.is_none(), grades.values().all(|grade| *grade == 0));
            }
        }
    }
}
