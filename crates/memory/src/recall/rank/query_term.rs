//! Question words looked up in an index, with their weights.

use super::confidence::Features;
use super::weighting::Weighting;
use crate::recall::FIELDS;
use crate::recall::index::{Layers, Posting};
use crate::recall::question::QueryWord;

/// Certainty that an entry is about a word, by the field in which the word occurs.
const CERTAINTY: [f64; FIELDS] = [1.0, 1.0, 1.0, 0.85, BODY_CERTAINTY];
/// Certainty for a word in the body. It's lower, because a long text mentions many things in
/// passing.
pub(super) const BODY_CERTAINTY: f64 = 0.7;
/// Saturation for words repeated in the question. The higher it is, the more a repetition counts.
const REPETITION_SATURATION: f64 = 8.0;
/// Weight of a common word in the score, relative to other words.
const COMMON_RANKED: f64 = 0.7;
/// Weight of an everyday word in the score, relative to other words.
const EVERYDAY_RANKED: f64 = 0.7;
/// Weight of a common word in the confidence. It's lower than in the score, because such a word
/// proves little.
pub(super) const COMMON_WEIGHT: f64 = 0.35;
/// Weight of an unknown word in the confidence. It's below 1, because the right record may use a
/// synonym.
pub(super) const UNKNOWN_WEIGHT: f64 = 0.5;
/// Weight of an unknown version or date in the confidence. There's no synonym for it, so its
/// absence counts more.
const UNKNOWN_NUMBER_WEIGHT: f64 = 1.5;
/// Weight of a corrected word in score and confidence. It's below 1, because the correction may be
/// wrong.
const CORRECTED_WEIGHT: f64 = 0.8;
/// The fields written to make a record easy to find: keywords and aliases.
const CUES: std::ops::Range<usize> = 1..3;

/// A question word with its postings.
pub(super) struct QueryTerm<'a> {
    pub(super) word: &'a QueryWord,
    pub(super) postings: Vec<Posting>,
    /// Number of entries containing the word.
    pub(super) entries: u32,
    /// Information in nats, as used by the confidence.
    pub(super) information: f64,
    /// Weight in the score.
    weight: f64,
}

impl<'a> QueryTerm<'a> {
    /// Looks up `word` in the index and computes its weights.
    pub(super) fn of(word: &'a QueryWord, layers: &Layers, weighting: Weighting) -> Self {
        let mut postings = layers.postings(word.lookup_stem());
        if let Some(name) = &word.lowercase {
            Posting::merge(&mut postings, layers.postings(name));
        }
        let entries = u32::try_from(postings.len()).unwrap_or(u32::MAX);
        let factor = match word.is_common {
            true => COMMON_RANKED,
            false if word.is_everyday => EVERYDAY_RANKED,
            false if word.corrected_stem.is_some() => CORRECTED_WEIGHT,
            false => 1.0,
        };
        Self {
            word,
            postings,
            entries,
            information: weighting.information(entries, word.is_common),
            weight: weighting.ranked_information(entries, word.is_common) * factor,
        }
    }

    /// Returns the posting of entry `number`, or `None` if the word doesn't occur there.
    pub(super) fn posting(&self, number: u32) -> Option<&Posting> {
        let at = self
            .postings
            .binary_search_by_key(&number, |posting| posting.entry);
        self.postings.get(at.ok()?)
    }

    /// Returns the word's contribution to the score of an entry with fields of these `lengths`.
    pub(super) fn score(
        &self,
        weighting: Weighting,
        lengths: &[u32; FIELDS],
        counts: &[u32; FIELDS],
    ) -> f64 {
        let times = f64::from(self.word.times);
        let repetition = times * (REPETITION_SATURATION + 1.0) / (times + REPETITION_SATURATION);
        self.weight * repetition * weighting.frequency(lengths, counts)
    }

    /// Returns the information, in nats, that the question expects an answer to cover for this
    /// word.
    pub(super) fn value(&self) -> f64 {
        match (self.word.is_common, self.entries) {
            (true, _) => self.information * COMMON_WEIGHT,
            (false, 0) if self.word.is_number() => self.information * UNKNOWN_NUMBER_WEIGHT,
            (false, 0) => self.information * UNKNOWN_WEIGHT,
            (false, _) => self.information,
        }
    }

    /// Adds the word to the `features` of an entry or a passage, in which it has these `counts`.
    pub(super) fn add_to(&self, counts: &[u32; FIELDS], features: &mut Features) {
        if !self.word.is_required() {
            return;
        }
        let fields = (0..FIELDS).filter(|field| counts[*field] > 0);
        // A version or date is unambiguous in any field.
        let least = if self.word.is_number() { 1.0 } else { 0.0 };
        let certainty = fields.map(|field| CERTAINTY[field]).fold(least, f64::max);
        if self.word.corrected_stem.is_some() {
            features.matched += self.value() * certainty * CORRECTED_WEIGHT;
            if self.word.is_distinctive() {
                features.add_corrected(self.information * CORRECTED_WEIGHT);
            }
            return;
        }
        features.matched += self.value() * certainty;
        if self.word.is_distinctive() {
            features.add_distinctive(self.information);
        }
        features.has_unique_cue |= self.is_unique_cue(counts);
    }

    /// Returns true if the word occurs in just one entry, and there among the keywords or aliases.
    fn is_unique_cue(&self, counts: &[u32; FIELDS]) -> bool {
        is_in(counts, CUES) && self.entries == 1 && self.word.is_distinctive()
    }
}

/// Returns true if `counts` has an occurrence in the title, keywords or aliases.
pub(super) fn is_in_names(counts: &[u32; FIELDS]) -> bool {
    is_in(counts, 0..CUES.end)
}

fn is_in(counts: &[u32; FIELDS], fields: std::ops::Range<usize>) -> bool {
    counts[fields].iter().any(|count| *count > 0)
}
