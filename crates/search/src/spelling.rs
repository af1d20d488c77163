//! Misspelt words of a question, where a word of the index is a slip of the pen away.
//!
//! An English word means itself, however near it is to one of the index. So does a part of a name of code, which is copied.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::english_words::is_english;
use crate::index::SearchIndex;
use crate::query::{Query, QueryWord};
use crate::slips::{Slip, each_slip};
use crate::stem::stem;
use crate::stop_words::is_stop_word;
use crate::terms::TermKind;
use crate::word_lists::is_vague;

/// Maximum number of unknown words: a question with more of them is in another language.
const MAX_UNKNOWN: usize = 4;
/// Minimum number of letters of a word that is corrected by any slip; by swapped or doubled letters, one less.
const MIN_LETTERS: usize = 5;
/// Minimum number of letters of a word of which one letter was another.
const MIN_LETTERS_OTHER: usize = 6;

impl SearchIndex {
    /// Returns `query` with its misspelt words corrected.
    #[must_use]
    pub fn corrected<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        let is_part = |at: usize| query.words.iter().any(|word| word.parts.contains(&at));
        let words = query.words.iter().enumerate();
        let unknown = words.filter(|(at, word)| self.may_be_misspelt(word) && !is_part(*at));
        let unknown: Vec<usize> = unknown.map(|(at, _)| at).collect();
        if unknown.len() > MAX_UNKNOWN {
            return Cow::Borrowed(query);
        }
        let mut corrected = Cow::Borrowed(query);
        for at in unknown {
            let word = &query.words[at];
            if is_stop_word_misspelt(word.lower.as_ref().unwrap_or(&word.stem)) {
                corrected.to_mut().words[at].is_common = true;
                continue;
            }
            let Some((stem, other)) = self.meant(word.lower.as_ref().unwrap_or(&word.stem)) else {
                continue;
            };
            if query.words.iter().all(|word| word.stem != stem) {
                let word = &mut corrected.to_mut().words[at];
                word.is_common = is_vague(&other);
                (word.stem, word.lower, word.corrected) = (stem, None, Some(other));
            }
        }
        corrected
    }

    /// True if `word` is a word of prose that nothing has.
    fn may_be_misspelt(&self, word: &QueryWord) -> bool {
        let lower = word.lower.as_ref().unwrap_or(&word.stem);
        let is_abbreviation = word.word.bytes().all(|byte| byte.is_ascii_uppercase());
        word.kind == TermKind::Word
            && !word.is_common
            && !is_abbreviation
            && lower.bytes().all(|byte| byte.is_ascii_lowercase())
            && self.documents_with(&word.stem) == 0
            && self.documents_with(lower) == 0
            && !is_english(lower)
    }

    /// Stem and form of the likeliest word that is one slip away from `word`.
    fn meant(&self, word: &str) -> Option<(String, String)> {
        let mut best = None;
        each_slip(word, &mut |other, slip| {
            let least = match slip {
                Slip::Swapped | Slip::Doubled => MIN_LETTERS - 1,
                Slip::Extra | Slip::Missing => MIN_LETTERS,
                Slip::Other => MIN_LETTERS_OTHER,
            };
            // A name that is no English word is another name, unless letters are swapped or doubled.
            if word.len() < least || (slip > Slip::Doubled && !is_english(other)) {
                return;
            }
            let stem = stem(other);
            let documents = self.documents_with(&stem);
            if documents > 0 {
                let candidate = (
                    slip,
                    Reverse(documents),
                    stem.into_owned(),
                    other.to_owned(),
                );
                best = best
                    .take()
                    .map_or(Some(candidate.clone()), |best: (_, _, _, _)| {
                        Some(best.min(candidate))
                    });
            }
        });
        best.map(|(_, _, stem, other)| (stem, other))
    }
}

/// True if a stop word is one slip away from `word`.
fn is_stop_word_misspelt(word: &str) -> bool {
    let mut is_one = false;
    each_slip(word, &mut |other, slip| {
        let is_near = slip == Slip::Swapped || word.len() >= MIN_LETTERS;
        is_one |= is_near && is_stop_word(other) && other[..1] == word[..1];
    });
    is_one
}
