//! The contribution of each word of a question to an entry's score and confidence.
//!
//! The score only has to put the entries in order. The confidence tells if the best one answers the
//! question at all, so it needs better evidence. That is why the same word may have two weights.

use super::confidence::Features;
use super::weighting::Weighting;
use crate::recall::FIELDS;
use crate::recall::index::{Posting, Segment};
use crate::recall::question::QueryWord;
use windlass_base::is_on;

/// The certainty that an entry is about a word, depending on the word's field.
const CERTAINTY: [f64; FIELDS] = [1.0, 1.0, 1.0, 0.85, BODY_CERTAINTY];
/// The certainty for the body. It is lower, because a long text mentions many things in passing.
const BODY_CERTAINTY: f64 = 0.7;
/// Saturation of a word's repetitions in the question. The higher, the more repetitions count.
const REPETITION_SATURATION: f64 = 8.0;
/// The weight of a common word in the score.
const COMMON_RANKED: f64 = 0.7;
/// The weight of an everyday word in the score.
const EVERYDAY_RANKED: f64 = 0.7;
/// The weight of a common word in the confidence. It is less than in the score, because a common
/// word proves little.
pub(super) const COMMON_WEIGHT: f64 = 0.35;
/// The weight of an unknown word in the confidence. It is less than 1, because the right record may
/// use a synonym.
const UNKNOWN_WEIGHT: f64 = 0.5;
/// The weight of an unknown version or date. They have no synonyms, so we take their absence more
/// seriously.
const UNKNOWN_NUMBER_WEIGHT: f64 = 1.5;
/// The weight of a corrected word, both in the score and in the confidence. It is less than 1,
/// because the correction may be wrong. In the score, common and everyday words keep their own
/// weight.
const CORRECTED_WEIGHT: f64 = 0.8;
/// The fields for keywords and aliases. People write them so that recall finds a record.
const CUES: std::ops::Range<usize> = 1..3;

/// A word of the question, looked up in an index.
pub(super) struct QueryTerm<'a> {
    pub(super) word: &'a QueryWord,
    pub(super) postings: Vec<Posting>,
    pub(super) entries: u32,
    /// The information for the confidence, in nats.
    pub(super) information: f64,
    /// The weight for the score.
    weight: f64,
}

impl<'a> QueryTerm<'a> {
    pub(super) fn of(word: &'a QueryWord, segment: &Segment, weighting: Weighting) -> Self {
        let mut postings = segment.postings(word.lookup_stem());
        // If stemming has changed the word, also look it up as written.
        if let Some(name) = &word.lowercase {
            Posting::merge(&mut postings, segment.postings(name));
        }
        let entries = u32::try_from(postings.len()).unwrap_or(u32::MAX);
        let factor = match word.is_common {
            true if is_on("recall.common") => COMMON_RANKED,
            false if word.is_everyday && is_on("recall.everyday") => EVERYDAY_RANKED,
            false if word.corrected_stem.is_some() => CORRECTED_WEIGHT,
            _ => 1.0,
        };
        Self {
            word,
            postings,
            entries,
            information: weighting.information(entries, word.is_common),
            weight: weighting.ranked_information(entries, word.is_common) * factor,
        }
    }

    pub(super) fn posting(&self, number: u32) -> Option<&Posting> {
        let at = self
            .postings
            .binary_search_by_key(&number, |posting| posting.entry);
        self.postings.get(at.ok()?)
    }

    pub(super) fn score(
        &self,
        weighting: Weighting,
        lengths: &[u32; FIELDS],
        counts: &[u32; FIELDS],
    ) -> f64 {
        // A word that's repeated in the question counts more, but not in proportion.
        let is_counted = is_on("recall.repetition");
        let times = f64::from(if is_counted { self.word.times } else { 1 });
        let repetition = times * (REPETITION_SATURATION + 1.0) / (times + REPETITION_SATURATION);
        self.weight * repetition * weighting.frequency(lengths, counts)
    }

    /// The information an answer needs to cover this word, in nats.
    pub(super) fn value(&self) -> f64 {
        match (self.word.is_common, self.entries) {
            (true, _) => self.information * COMMON_WEIGHT,
            (false, 0) if self.word.is_number() => self.information * UNKNOWN_NUMBER_WEIGHT,
            (false, 0) => self.information * UNKNOWN_WEIGHT,
            (false, _) => self.information,
        }
    }

    pub(super) fn add_to(&self, counts: &[u32; FIELDS], features: &mut Features) {
        // For example, the parts of a code name only repeat plain words of the question.
        if !self.word.is_required() {
            return;
        }
        let fields = (0..FIELDS).filter(|field| counts[*field] > 0);
        // A version or a date is unambiguous in any field.
        let least = if self.word.is_number() { 1.0 } else { 0.0 };
        let certainty = fields.map(|field| CERTAINTY[field]).fold(least, f64::max);
        // A correction is a guess, so it neither counts as a distinctive word nor as a unique cue.
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

    fn is_unique_cue(&self, counts: &[u32; FIELDS]) -> bool {
        is_on("recall.unique_cue")
            && is_in(counts, CUES)
            && self.entries == 1
            && self.word.is_distinctive()
    }
}

pub(super) fn is_in_names(counts: &[u32; FIELDS]) -> bool {
    is_in(counts, 0..CUES.end)
}

fn is_in(counts: &[u32; FIELDS], fields: std::ops::Range<usize>) -> bool {
    counts[fields].iter().any(|count| *count > 0)
}
