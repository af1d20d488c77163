use windlass_search::{Term, TermKind, is_common, is_stop_word, parts_of, words_of};

use crate::records::keywords::GENERIC;
use crate::texts::everyday::{is_aspect, is_everyday, is_filler};

/// A word of a question, with everything that decides how much it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as written.
    pub word: String,
    /// The word's stem. A text matches if it has a word with the same stem.
    pub stem: String,
    /// True if the word is common in any text, or belongs to the form of the question.
    pub is_common: bool,
    /// True for adverbs, prepositions and the like, which cannot identify a record.
    pub is_filler: bool,
    /// True for ordinary words that occur in texts about any subject.
    pub(crate) is_everyday: bool,
    /// True for words such as "tests", which may ask for an aspect of a thing rather than the thing
    /// itself.
    pub(crate) is_aspect: bool,
    /// True for a code name that is made of common words, such as `get_value`. Only the whole name
    /// is distinctive, so we do not look for the parts.
    pub(crate) is_matched_whole: bool,
    /// Number of occurrences in the question.
    pub times: u32,
    /// Kind of word, e.g. a plain word or a code name.
    pub kind: TermKind,
    /// The word in lower case, or `None` if that is the same as the stem.
    pub(crate) lowercase: Option<String>,
    /// If no entry has the word, the stem of the word that the user probably meant.
    pub(crate) corrected_stem: Option<String>,
    /// The corrected word that goes with `corrected_stem`. If we only know the stem, this is the
    /// stem as well.
    pub(crate) corrected_word: Option<String>,
}

impl QueryWord {
    /// Analyzes a term of the question. `is_form` is true for terms that belong to the form of the
    /// question, like the "how" in "how do I".
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

    /// True if we expect the word in a matching record. This applies to plain words, and to code
    /// names that are matched as a whole. Other code names (and the beginnings of version numbers)
    /// are only in the question in addition to their parts, which are plain words.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.kind == TermKind::Word || self.is_matched_whole
    }

    /// True if the word is able to identify a record.
    pub(crate) fn is_distinctive(&self) -> bool {
        !self.is_common && !self.is_filler
    }

    /// Corrects the word. If only the stem is known, pass an empty `word`.
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

    /// The word as the user wrote it, with the correction if there is one.
    pub(crate) fn shown(&self) -> String {
        match &self.corrected_word {
            Some(corrected) => format!("{} (taken for {corrected})", self.word),
            None => self.word.clone(),
        }
    }

    /// The stem to look up, after correction.
    pub(crate) fn lookup_stem(&self) -> &str {
        self.corrected_stem.as_deref().unwrap_or(&self.stem)
    }

    pub(super) fn lower(&self) -> &str {
        self.lowercase.as_deref().unwrap_or(&self.stem)
    }

    /// True for versions, dates and the like, which have no synonyms.
    pub(crate) fn is_number(&self) -> bool {
        let mut marks = self.stem.bytes().filter(|byte| !byte.is_ascii_digit());
        marks.next().is_some_and(|mark| b".-/:".contains(&mark))
    }
}

fn is_common_word(word: &str) -> bool {
    is_common(word) || GENERIC.contains(&word)
}

/// True for a code name that only has common words and stop words as its parts.
fn has_common_parts_only(term: &Term<'_>) -> bool {
    let parts = words_of(term.word).flat_map(parts_of);
    let mut parts = parts.map(str::to_lowercase);
    term.kind == TermKind::Name && parts.all(|part| is_common_word(&part) || is_stop_word(&part))
}
