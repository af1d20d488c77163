//! Okapi BM25, a formula for how well a text matches a query.
//!
//! Each term of the query adds to the score of a text. A rare term adds more than a frequent one,
//! and each further occurrence adds less than the one before.
//!
//! Please do not rearrange the operations here, even if the result is mathematically the same:
//! ranks and printed scores depend on the last bit of a score.

use crate::word_counts::WordCounts;

/// Formulas for the weight of a term, given the number of texts that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rarity {
    /// Weighs by the odds that a text lacks the term: `ln(1 + (all - having + ½) / (having + ½))`.
    Odds,
    /// Weighs by the share of texts with the term: `ln(1 + all / (having + ½))`.
    Share,
}

impl Rarity {
    /// Computes the weight of a term that is in `having` of `all` texts, in nats. It is always
    /// positive.
    #[must_use]
    pub fn weight(self, having: f64, all: f64) -> f64 {
        match self {
            Self::Odds => {
                let having = having.min(all);
                (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
            }
            Self::Share => (1.0 + all / (having + 0.5)).ln(),
        }
    }
}

/// Computes the average length of `texts` texts with `total` words. The result is at least 1, so
/// that it is safe to divide by it.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a number of texts")]
pub fn average_length(total: f64, texts: usize) -> f64 {
    (total / texts.max(1) as f64).max(1.0)
}

/// BM25 for texts with a single field. For several fields, see [`Bm25F`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation: the larger this is, the more it matters that a term is repeated.
    pub k1: f64,
    /// How much longer texts are penalized, from 0 (not at all) to 1 (in proportion to their
    /// length).
    pub b: f64,
}

impl Bm25 {
    /// Computes what `count` occurrences of a term add to the score of a text.
    #[must_use]
    pub fn term(self, weight: f64, count: f64, length: f64, average: f64) -> f64 {
        let norm = 1.0 - self.b + self.b * length / average;
        weight * count * (self.k1 + 1.0) / (count + self.k1 * norm)
    }

    /// Scores each text for a query with these term `weights`. Pass all texts at once, because the
    /// scores depend on their average length.
    #[must_use]
    pub fn scores(self, texts: &[WordCounts], weights: &[f64]) -> Vec<f64> {
        let total: f64 = texts.iter().map(|text| text.length).sum();
        let average = average_length(total, texts.len());
        let score = |text: &WordCounts| {
            let of_word = |(word, count): (&u32, &f64)| {
                let weight = weights.get(*word as usize).copied().unwrap_or_default();
                self.term(weight, *count, text.length, average)
            };
            text.of_words.iter().map(of_word).sum()
        };
        texts.iter().map(score).collect()
    }
}

/// Parameters for one field of a text, such as the title.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Weight of an occurrence in this field, compared to the other fields.
    pub weight: f64,
    /// How much longer fields are penalized, as in [`Bm25::b`].
    pub b: f64,
}

/// BM25F, the variant for texts with several fields.
///
/// The occurrences in each field are weighted and normalized, and only their sum is saturated. If
/// we just added a BM25 score per field, we would overrate a term that occurs once in every field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25F<const FIELDS: usize> {
    /// Saturation parameter, as in [`Bm25::k1`].
    pub k1: f64,
    /// Parameters of the fields, in the order of the counts and lengths for [`Bm25F::term`].
    pub fields: [Field; FIELDS],
}

impl<const FIELDS: usize> Bm25F<FIELDS> {
    /// Computes what a term adds to the score of a text, given the counts and the lengths by field.
    #[must_use]
    pub fn term(
        &self,
        weight: f64,
        counts: &[u32; FIELDS],
        lengths: &[u32; FIELDS],
        averages: &[f64; FIELDS],
    ) -> f64 {
        let fields = (0..FIELDS).filter(|at| counts[*at] > 0);
        let fields = fields.map(|at| {
            let Field { weight, b } = self.fields[at];
            let length = f64::from(lengths[at]) / averages[at];
            weight * f64::from(counts[at]) / (1.0 - b + b * length)
        });
        let saturating = Bm25 {
            k1: self.k1,
            b: 0.0,
        };
        saturating.term(weight, fields.sum(), 1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_weigh_more_and_none_weighs_nothing() {
        for rarity in [Rarity::Odds, Rarity::Share] {
            let weights = [0.0, 1.0, 50.0, 100.0].map(|having| rarity.weight(having, 100.0));
            assert!(
                weights.is_sorted_by(|one, other| one > other),
                "{weights:?}"
            );
            assert!(weights[3] > 0.0, "{weights:?}");
        }
        assert_eq!(Rarity::Odds.weight(9.0, 2.0), Rarity::Odds.weight(2.0, 2.0));
    }

    #[test]
    fn score_has_the_bits_of_the_formula() {
        let okapi = Bm25 { k1: 1.2, b: 0.75 };
        let (rare, length, average) = (1.7, 37.0, 21.3);
        for count in [1.0, 2.0, 7.5] {
            let long = 0.25 + 0.75 * length / average;
            let plainly = rare * count * 2.2 / (count + 1.2 * long);
            assert_eq!(okapi.term(rare, count, length, average), plainly);
        }
    }

    #[test]
    fn fields_saturate_together() {
        let field = |weight| Field { weight, b: 0.5 };
        let fielded = Bm25F {
            k1: 1.2,
            fields: [field(3.0), field(1.0)],
        };
        let term = |counts, lengths| fielded.term(1.0, &counts, &lengths, &[4.0, 40.0]);
        assert_eq!(term([0, 0], [4, 40]), 0.0);
        assert_eq!(term([1, 0], [4, 40]), term([0, 3], [4, 40]));
        assert!(term([1, 0], [4, 40]) > term([1, 0], [8, 40]));
        assert!(term([9, 9], [4, 40]) < 2.2);
    }
}
