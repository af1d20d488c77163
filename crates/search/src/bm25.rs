//! Okapi BM25, a formula for the score that each query term adds to a text. Rare terms add more
//! than frequent ones. Each further occurrence of a term adds less than the one before.
//!
//! Don't reorder the operations here. Ranks and printed scores depend on the last bit of a score.

use crate::word_counts::WordCounts;

/// Formulas for the weight of a term, given the number of texts that contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rarity {
    /// Weighs by the odds that a text lacks the term: `ln(1 + (all - having + ½) / (having + ½))`.
    Odds,
    /// Weighs by the share of texts with the term: `ln(1 + all / (having + ½))`.
    Share,
}

impl Rarity {
    /// Returns the weight, in nats, of a term contained in `having` of `all` texts. It's always
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

/// Returns the mean length of texts. It's at least 1, so that callers can divide by it.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a number of texts")]
pub fn average_length(total: f64, texts: usize) -> f64 {
    (total / texts.max(1) as f64).max(1.0)
}

/// BM25 for texts with a single field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation parameter. The larger it is, the more each further occurrence of a term adds.
    pub k1: f64,
    /// Degree of normalization by text length, from 0 to 1.
    pub b: f64,
}

impl Bm25 {
    /// Returns the score that a term adds to a text in which it occurs `count` times.
    #[must_use]
    pub fn term(self, weight: f64, count: f64, length: f64, average: f64) -> f64 {
        let norm = 1.0 - self.b + self.b * length / average;
        weight * count * (self.k1 + 1.0) / (count + self.k1 * norm)
    }

    /// Returns the score of each text. `weights` holds a weight for each term. `texts` must be the
    /// whole collection, since it determines the average length.
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

/// Parameters for one field of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Weight of each occurrence in this field.
    pub weight: f64,
    /// Degree of normalization by field length, from 0 to 1.
    pub b: f64,
}

/// BM25F, for texts with several fields. Occurrences are weighted and normalized per field, then
/// summed. Only the sum saturates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25F<const FIELDS: usize> {
    /// Saturation parameter, as in [`Bm25::k1`].
    pub k1: f64,
    /// Parameters for each field.
    pub fields: [Field; FIELDS],
}

impl<const FIELDS: usize> Bm25F<FIELDS> {
    /// Returns the score that a term adds to a text, given its count in each field and the length
    /// of each field.
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
