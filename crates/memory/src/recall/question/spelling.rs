//! Corrects words missing from the index.
//!
//! We never correct English words, even if a similar one is in the index: "table" does not mean
//! "cable". We leave parts of code names alone as well, because they tend to be copied rather than
//! typed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use windlass_base::is_on;

use windlass_search::{Slip, TermKind, each_slip, is_english, is_stop_word, slips_between, stem};

use super::query::Query;
use super::query_word::QueryWord;
use super::terms::each_term;
use crate::recall::index::Segment;

/// Maximum number of unknown words. With more of them, the question is probably in another
/// language, so we do not correct any.
const MAX_UNKNOWN: usize = 4;
/// Minimum length of a word for any slip. In shorter words, we only correct swapped letters.
const MIN_ANY_SLIP: usize = 5;
/// Minimum length of a word for a replaced letter.
const MIN_REPLACED: usize = 6;
/// Minimum length of a stem for any slip. Shorter stems resemble too many words, so we only correct
/// swapped or doubled letters.
const MIN_STEM: usize = 4;
/// Minimum length of a word for two slips. For these corrections, we compare stems instead of
/// words.
const MIN_TWO_SLIPS: usize = 8;
/// Minimum length of both stems for two slips.
const MIN_TWO_SLIPS_STEM: usize = 7;

/// A possible correction of a word. The order is by probability, highest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Correction {
    slips: usize,
    slip: Slip,
    entries: Reverse<u32>,
    /// The corrected stem. Empty for a stop word.
    stem: String,
    /// The corrected spelling. Empty if only the stem is known.
    word: String,
}

impl Correction {
    fn compete(self, best: &mut Option<Self>) {
        if best.as_ref().is_none_or(|best| self < *best) {
            *best = Some(self);
        }
    }
}

/// A spelling corrector. The terms of the index are its dictionary.
pub(crate) struct Speller<'a> {
    segment: &'a Segment,
}

impl<'a> Speller<'a> {
    pub(crate) fn of(segment: &'a Segment) -> Self {
        Self { segment }
    }

    pub(crate) fn corrected<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        if query.is_corrected || !is_on("recall.spelling") {
            return Cow::Borrowed(query);
        }
        let unknown = self.unknown_words(query);
        if unknown.is_empty() || unknown.len() > MAX_UNKNOWN {
            return Cow::Borrowed(query);
        }
        let mut corrected = query.clone();
        corrected.is_corrected = true;
        let mut needless = BTreeSet::new();
        for at in unknown {
            let Some(correction) = self.correction(query.words[at].lower()) else {
                continue;
            };
            // The correction is a stop word, or already in the question. Drop the word.
            if correction.stem.is_empty() || corrected.has(&correction.stem) {
                needless.insert(at);
            } else {
                corrected.words[at].correct_to(correction.stem, &correction.word);
            }
        }
        let mut at = 0..;
        corrected
            .words
            .retain(|_| at.next().is_none_or(|at| !needless.contains(&at)));
        Cow::Owned(corrected)
    }

    fn unknown_words(&self, query: &Query) -> Vec<usize> {
        let names = parts_of_names(query);
        let words = query.words.iter().enumerate();
        let unknown = words.filter(|(_, word)| {
            may_be_misspelled(word)
                && self.is_unknown(word)
                && !names.contains(&word.stem)
                && !is_english(word.lower())
        });
        unknown.map(|(at, _)| at).collect()
    }

    fn is_unknown(&self, word: &QueryWord) -> bool {
        let mut stems = [Some(&word.stem), word.lowercase.as_ref()]
            .into_iter()
            .flatten();
        stems.all(|stem| self.segment.document_frequency(stem) == 0)
    }

    fn correction(&self, word: &str) -> Option<Correction> {
        self.one_slip_away(word)
            .or_else(|| self.two_slips_away(word))
    }

    fn one_slip_away(&self, word: &str) -> Option<Correction> {
        let mut best = None;
        each_slip(word, &mut |other, slip| {
            if word.len() < MIN_ANY_SLIP && slip != Slip::Swapped {
                return;
            }
            let stem = stem(other);
            let (entries, stem) = match is_stop_word(other) {
                // Correcting a word to a stop word removes it from the question. We only do that if
                // the first letter is the same.
                true if other[..1] == word[..1] => (u32::MAX, ""),
                true => return,
                // Swapped or doubled letters are clearly a typo. Any other change must lead to an
                // English word. Otherwise, the word is probably a different name.
                false if slip > Slip::Doubled && !is_english(other) => return,
                false if slip == Slip::Other && word.len() < MIN_REPLACED => return,
                // Words of three letters resemble too many others.
                false if word.len() < MIN_ANY_SLIP - 1 => return,
                false if stem.len() < MIN_STEM && slip > Slip::Doubled => return,
                false => (self.segment.document_frequency(&stem), &*stem),
            };
            if entries > 0 {
                let correction = Correction {
                    slips: 1,
                    slip,
                    entries: Reverse(entries),
                    stem: stem.to_owned(),
                    word: other.to_owned(),
                };
                correction.compete(&mut best);
            }
        });
        best
    }

    /// The most probable correction with two slips. We only look at stems that start with the same
    /// letter.
    fn two_slips_away(&self, word: &str) -> Option<Correction> {
        let own = stem(word);
        if word.len() < MIN_TWO_SLIPS || own.len() < MIN_TWO_SLIPS_STEM {
            return None;
        }
        let mut best = None;
        self.segment.each_term_of(own.as_bytes()[0], &mut |term| {
            if term.len() < MIN_TWO_SLIPS_STEM
                || !is_english(term)
                || !term.bytes().all(|byte| byte.is_ascii_lowercase())
            {
                return;
            }
            let Some(slips) = slips_between(&own, term, 2) else {
                return;
            };
            let entries = self.segment.document_frequency(term);
            if entries > 0 {
                let correction = Correction {
                    slips,
                    slip: Slip::Other,
                    entries: Reverse(entries),
                    stem: term.to_owned(),
                    word: String::new(),
                };
                correction.compete(&mut best);
            }
        });
        best
    }
}

/// True for a plain word of prose. A word in capitals is probably an abbreviation.
fn may_be_misspelled(word: &QueryWord) -> bool {
    let is_plain = word.lower().bytes().all(|byte| byte.is_ascii_lowercase());
    let is_abbreviation = word.word.bytes().all(|byte| byte.is_ascii_uppercase());
    word.kind == TermKind::Word && is_plain && !is_abbreviation && word.is_distinctive()
}

fn parts_of_names(query: &Query) -> BTreeSet<String> {
    let mut parts = BTreeSet::new();
    for name in &query.words {
        if name.kind == TermKind::Name {
            each_term(&name.word, |term| {
                parts.insert(term.stem().into_owned());
            });
        }
    }
    parts
}
