use std::collections::BTreeSet;

use crate::words::terms_of;

/// The most different words of a question that are looked for: more is a text, and no question.
const MAX_WORDS: usize = 64;

/// What somebody asks, as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Its words, each once, in the order they were asked.
    pub words: Vec<QueryWord>,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// As it was written.
    pub word: String,
    /// As it is compared.
    pub stem: String,
    /// Whether anybody may say it of anything.
    pub is_common: bool,
    /// Whether it is a name of code as a whole, whose parts are words as well.
    pub is_whole: bool,
}

impl Query {
    /// The words of `text`; stop words are none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut seen = BTreeSet::new();
        let terms = terms_of(text)
            .into_iter()
            .filter(|term| seen.insert(term.stem.clone()));
        let words = terms.take(MAX_WORDS).map(|term| QueryWord {
            word: term.word.into_owned(),
            stem: term.stem,
            is_common: term.is_common,
            is_whole: term.is_whole,
        });
        Self {
            words: words.collect(),
        }
    }

    /// How many different words say what it is about.
    #[must_use]
    pub fn telling_words(&self) -> u32 {
        u32::try_from(self.telling().len()).unwrap_or(u32::MAX)
    }

    /// The stems that say what it is about.
    pub(crate) fn telling(&self) -> BTreeSet<String> {
        let words = self
            .words
            .iter()
            .filter(|word| !word.is_common && !word.is_whole);
        words.map(|word| word.stem.clone()).collect()
    }
}
