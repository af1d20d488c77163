//! Weights of terms in the entries of an index.

use windlass_search::{Bm25, Bm25F, Field, Rarity};

use crate::recall::FIELDS;
use crate::recall::index::Statistics;

/// Each field's weight, and the degree to which a long field reduces it, in the order of the field
/// numbers.
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
/// Saturation `k1` of BM25. The lower it is, the less further occurrences of a term count.
const SATURATION: f64 = 1.2;
/// Share of a score that is BM25 over title and body as one text. Well-chosen keywords and aliases
/// help, and with this share, badly chosen ones do little harm.
const PLAIN_SHARE: f64 = 0.8;
/// The fields that make up this text: title and body.
const PLAIN_FIELDS: [usize; 2] = [0, 4];
/// BM25 parameters for that text.
const PLAIN: Bm25 = Bm25 {
    k1: SATURATION,
    b: 0.75,
};
/// Number of imaginary entries that the confidence adds to every memory, so that words are
/// informative in a small memory too.
const PRIOR_ENTRIES: f64 = 20.0;
/// Number of imaginary entries in the score. It's smaller, because the real entries are the better
/// guide for ranking.
const PRIOR_RANKED: f64 = 5.0;
/// Share of the imaginary entries that contain a word that isn't common.
const ORDINARY_SHARE: f64 = 0.01;
/// Share of the imaginary entries that contain a common word.
const COMMON_SHARE: f64 = 0.6;

/// Weights of terms, derived from the statistics of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighting {
    statistics: Statistics,
}

impl Weighting {
    /// Creates the weighting of an index with these `statistics`.
    pub(super) fn of(statistics: Statistics) -> Self {
        Self { statistics }
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
    fn entries(&self) -> f64 {
        self.statistics.entries as f64
    }

    /// Returns the information, in nats, of a word found in `entries` entries, as used by the
    /// confidence.
    pub(super) fn information(&self, entries: u32, is_common: bool) -> f64 {
        self.information_with(PRIOR_ENTRIES, entries, is_common)
    }

    /// Returns the information of a word found in no entry. No word has more.
    pub(super) fn max_information(&self) -> f64 {
        self.information(0, false)
    }

    /// Returns a word's information as used by the score.
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

    /// Returns the saturated frequency of a term, given the `counts` and `lengths` of the entry's
    /// fields.
    pub(super) fn frequency(&self, lengths: &[u32; FIELDS], counts: &[u32; FIELDS]) -> f64 {
        let averages = &self.statistics.average_lengths;
        let by_field = BM25F.term(1.0, counts, lengths, averages);
        let times: u32 = PLAIN_FIELDS.iter().map(|field| counts[*field]).sum();
        let length: u32 = PLAIN_FIELDS.iter().map(|field| lengths[*field]).sum();
        let average: f64 = PLAIN_FIELDS.iter().map(|field| averages[*field]).sum();
        let plain = PLAIN.term(1.0, f64::from(times), f64::from(length), average);
        PLAIN_SHARE * plain + (1.0 - PLAIN_SHARE) * by_field
    }

    /// Returns the distance between two scores as a share of the best possible score for a question
    /// with this `information`. In a small memory the result is lower, because a better record may
    /// be added at any time.
    pub(super) fn relative_lead(&self, distance: f64, information: f64) -> f64 {
        if information <= 0.0 {
            return 0.0;
        }
        let known = self.entries() / (self.entries() + PRIOR_ENTRIES);
        known * distance / (information * (SATURATION + 1.0))
    }
}
