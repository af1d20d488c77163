//! Weighs the words of a question by how rare they are, and their occurrences by where they are.

use windlass_base::is_on;
use windlass_search::{Bm25, Bm25F, Field, Rarity};

use crate::recall::FIELDS;
use crate::recall::index::Statistics;

/// Weights and length discounts of the fields, in the order of `FIELD_NAMES`.
const BM25F: Bm25F<FIELDS> = Bm25F {
    k1: SATURATION,
    fields: [
        Field {
            weight: 3.0,
            b: 0.2,
        },
        Field {
            weight: 1.5,
            b: 0.2,
        },
        Field {
            weight: 2.5,
            b: 0.2,
        },
        Field {
            weight: 1.0,
            b: 0.4,
        },
        Field {
            weight: 1.0,
            b: 0.75,
        },
    ],
};
/// The `k1` of BM25. The lower this is, the less it matters that a term is repeated.
const SATURATION: f64 = 1.2;
/// The part of a score that comes from plain BM25, which ignores keywords, aliases and headings.
/// With this value, badly chosen keywords do not do much harm, while good ones still help.
const PLAIN_SHARE: f64 = 0.8;
/// Title and body.
const PLAIN_FIELDS: [usize; 2] = [0, 4];
/// Plain BM25 takes the title and the body for a single text.
const PLAIN: Bm25 = Bm25 {
    k1: SATURATION,
    b: 0.75,
};
/// Number of imaginary entries that we add for the confidence. Without these, no word would be
/// informative in a small memory.
const PRIOR_ENTRIES: f64 = 20.0;
/// The same for the score. Fewer will do, since the real entries are a better guide for the
/// ranking.
const PRIOR_RANKED: f64 = 5.0;
/// The fraction of imaginary entries that contain any given word, unless it is common.
const ORDINARY_SHARE: f64 = 0.01;
/// The same for a common word.
const COMMON_SHARE: f64 = 0.6;

/// Weighs terms by the statistics of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighting {
    statistics: Statistics,
}

impl Weighting {
    pub(super) fn of(statistics: Statistics) -> Self {
        Self { statistics }
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
    fn entries(&self) -> f64 {
        self.statistics.entries as f64
    }

    /// The information of a word that is in `entries` entries, in nats. This is meant for the
    /// confidence.
    pub(super) fn information(&self, entries: u32, is_common: bool) -> f64 {
        self.information_with(PRIOR_ENTRIES, entries, is_common)
    }

    /// The information of a word that is not in any entry, which is the maximum.
    pub(super) fn max_information(&self) -> f64 {
        self.information(0, false)
    }

    /// Like [`information`](Self::information), but meant for the score.
    pub(super) fn ranked_information(&self, entries: u32, is_common: bool) -> f64 {
        self.information_with(PRIOR_RANKED, entries, is_common)
    }

    fn information_with(&self, prior: f64, entries: u32, is_common: bool) -> f64 {
        let all = self.entries() + prior;
        let share = if is_common {
            COMMON_SHARE
        } else {
            ORDINARY_SHARE
        };
        Rarity::Odds.weight(f64::from(entries) + prior * share, all)
    }

    /// How often a term is in an entry, saturated as in BM25. `counts` and `lengths` are by field.
    pub(super) fn frequency(&self, lengths: &[u32; FIELDS], counts: &[u32; FIELDS]) -> f64 {
        let averages = &self.statistics.average_lengths;
        let by_field = BM25F.term(1.0, counts, lengths, averages);
        if !is_on("recall.plain") {
            return by_field;
        }
        let times: u32 = PLAIN_FIELDS.iter().map(|field| counts[*field]).sum();
        let length: u32 = PLAIN_FIELDS.iter().map(|field| lengths[*field]).sum();
        let average: f64 = PLAIN_FIELDS.iter().map(|field| averages[*field]).sum();
        let plain = PLAIN.term(1.0, f64::from(times), f64::from(length), average);
        PLAIN_SHARE * plain + (1.0 - PLAIN_SHARE) * by_field
    }

    /// Converts a distance between two scores to a fraction of the best score that a question with
    /// this `information` can reach.
    ///
    /// In a small memory, the fraction is lower, because a better record may well be missing.
    pub(super) fn relative_lead(&self, distance: f64, information: f64) -> f64 {
        if information <= 0.0 || !is_on("recall.lead") {
            return 0.0;
        }
        let known = self.entries() / (self.entries() + PRIOR_ENTRIES);
        known * distance / (information * (SATURATION + 1.0))
    }
}
