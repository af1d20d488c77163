//! Words of a question, with the properties that decide how much they count.

use windlass_search::{Term, TermKind, is_common, is_stop_word, parts_of, words_of};

use crate::records::keywords::GENERIC;
use crate::texts::everyday::{is_aspect, is_everyday, is_filler};

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as written.
    pub word: String,
    /// The word's stem. Words with equal stems match.
    pub stem: String,
    /// True if the word is common in any text, or belongs to the form of the question.
    pub is_common: bool,
    /// True for an adverb, preposition or the like, which can't identify a record.
    pub is_filler: bool,
    /// True if the word is usual in texts about any subject.
    pub(crate) is_everyday: bool,
    /// True for a word such as "tests" that may ask for an aspect of a thing instead of the thing
    /// itself.
    pub(crate) is_aspect: bool,
    /// True for a code name made of common words, in which case only the whole name is distinctive.
    pub(crate) is_matched_whole: bool,
    /// Number of occurrences in the question.
    pub times: u32,
    /// Kind of term, such as a plain word or a code name.
    pub kind: TermKind,
    /// The word in lower case, or `None` if that equals the stem.
    pub(crate) lowercase: Option<String>,
    /// Stem of the word the user probably meant, if the word itself is missing from the index.
    pub(crate) corrected_stem: Option<String>,
    /// The word the user probably meant, or its stem if we don't know how it's spelled.
    pub(crate) corrected_word: Option<String>,
}

impl QueryWord {
    /// Creates a query word from `term`. `is_form` is true if the word belongs to the form of the
    /// question.
    pub(super) fn of(term: &Term<'_>, is_form: bool) -> Self {
        let stem = term.stem();
        let is_stemmed = *stem != *term.lower;
        let is_word = term.kind == TermKind::Word;
        Self {
            word: term.word.to_owned(),
            lowercase: is_stemmed.then(|| term.lower.to_owned()),
            stem: stem.into_owned(),
            is_common: (is_common_word(term.lower) || is_form) && is_word,
            is_filler: is_filler(term.lower) && is_word,
            is_everyday: is_everyday(term.lower) && is_word,
            is_aspect: is_aspect(term.lower) && is_word,
            is_matched_whole: has_common_parts_only(term),
            times: 1,
            kind: term.kind,
            corrected_stem: None,
            corrected_word: None,
        }
    }

    /// Returns true if a matching record should contain the word, which goes for plain words and
    /// for code names matched as a whole. Other names and the beginnings of versions only repeat
    /// plain words.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.kind == TermKind::Word || self.is_matched_whole
    }

    /// Returns true if the word can identify a record.
    pub(crate) fn is_distinctive(&self) -> bool {
        !self.is_common && !self.is_filler
    }

    /// Corrects the word to `word` with the stem `stem`. `word` is empty if only the stem is known.
    pub(super) fn correct_to(&mut self, stem: String, word: &str) {
        self.is_common = is_common_word(word);
        self.is_filler = is_filler(word);
        self.is_everyday = is_everyday(word);
        self.is_aspect = is_aspect(word);
        self.corrected_word = Some(if word.is_empty() {
            stem.clone()
        } else {
            word.to_owned()
        });
        self.corrected_stem = Some(stem);
    }

    /// Returns the word as written, followed by its correction.
    pub(crate) fn shown(&self) -> String {
        match &self.corrected_word {
            Some(corrected) => format!("{} (taken for {corrected})", self.word),
            None => self.word.clone(),
        }
    }

    /// Returns the stem to look up in the index, which is the correction's if there is one.
    pub(crate) fn lookup_stem(&self) -> &str {
        self.corrected_stem.as_deref().unwrap_or(&self.stem)
    }

    /// Returns the word in lower case.
    pub(super) fn lower(&self) -> &str {
        self.lowercase.as_deref().unwrap_or(&self.stem)
    }

    /// Returns true for a version, a date or the like, which have no synonyms.
    pub(crate) fn is_number(&self) -> bool {
        let mut marks = self.stem.bytes().filter(|byte| !byte.is_ascii_digit());
        marks.next().is_some_and(|mark| b".-/:".contains(&mark))
    }
}

/// Returns true if `word`, which must be in lower case, is common in any text.
fn is_common_word(word: &str) -> bool {
    is_common(word) || GENERIC.contains(&word)
}

/// Returns true for a code name made of nothing but common words and stop words.
fn has_common_parts_only(term: &Term<'_>) -> bool {
    let parts = words_of(term.word).flat_map(parts_of);
    let mut parts = parts.map(str::to_lowercase);
    term.kind == TermKind::Name && parts.all(|part| is_common_word(&part) || is_stop_word(&part))
}
