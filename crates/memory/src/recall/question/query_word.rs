//! Words of a question.

use windlass_search::{Term, TermKind, is_common, is_stop_word, parts_of, words_of};

use crate::records::keywords::GENERIC;
use crate::texts::everyday::{is_aspect, is_everyday, is_filler};

/// Word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as written.
    pub word: String,
    /// Stem, by which words are compared.
    pub stem: String,
    /// True for a word that is common in any text, or belongs to the form of the question.
    pub is_common: bool,
    /// True for an adverb, preposition or the like. A record is not identified by it, but may lack it.
    pub is_filler: bool,
    /// True for a word that is usual in texts of any subject.
    pub(crate) is_everyday: bool,
    /// True for a word such as "tests" that may ask for an aspect of something instead of the thing.
    pub(crate) is_aspect: bool,
    /// True for a name of code whose parts are all common words, so that only the whole name is distinctive.
    pub(crate) is_matched_whole: bool,
    /// Number of occurrences in the question.
    pub times: u32,
    /// Kind of term.
    pub kind: TermKind,
    /// The word in lower case, if it differs from the stem.
    pub(crate) lowercase: Option<String>,
    /// Stem of the word that was probably meant, if the word does not occur in the index.
    pub(crate) corrected_stem: Option<String>,
    /// The word that was probably meant, as far as its spelling is known.
    pub(crate) corrected_word: Option<String>,
}

impl QueryWord {
    /// Creates the word of `term`. `is_form` is true for a word that belongs to the form of the question.
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

    /// True if a record should contain the word: plain words, and names of code that are matched as a whole. Other names
    /// and beginnings of versions repeat plain words.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.kind == TermKind::Word || self.is_matched_whole
    }

    /// True if a record can be identified by the word.
    pub(crate) fn is_distinctive(&self) -> bool {
        !self.is_common && !self.is_filler
    }

    /// Replaces the word by `word` with the stem `stem`; `word` is empty if only the stem is known.
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

    /// Returns the word as written, with its correction.
    pub(crate) fn shown(&self) -> String {
        match &self.corrected_word {
            Some(corrected) => format!("{} (taken for {corrected})", self.word),
            None => self.word.clone(),
        }
    }

    /// Returns the stem to look up in the index.
    pub(crate) fn lookup_stem(&self) -> &str {
        self.corrected_stem.as_deref().unwrap_or(&self.stem)
    }

    /// Returns the word in lower case.
    pub(super) fn lower(&self) -> &str {
        self.lowercase.as_deref().unwrap_or(&self.stem)
    }

    /// True for a version, a date and the like, for which there is no other word.
    pub(crate) fn is_number(&self) -> bool {
        let mut marks = self.stem.bytes().filter(|byte| !byte.is_ascii_digit());
        marks.next().is_some_and(|mark| b".-/:".contains(&mark))
    }
}

/// True for a word that is common in any text. `word` is in lower case.
fn is_common_word(word: &str) -> bool {
    is_common(word) || GENERIC.contains(&word)
}

/// True for a name of code whose parts are all common words or stop words.
fn has_common_parts_only(term: &Term<'_>) -> bool {
    let parts = words_of(term.word).flat_map(parts_of);
    let mut parts = parts.map(str::to_lowercase);
    term.kind == TermKind::Name && parts.all(|part| is_common_word(&part) || is_stop_word(&part))
}
