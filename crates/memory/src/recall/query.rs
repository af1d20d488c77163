use std::collections::BTreeSet;

use windlass_words::{each_term, is_common};

use crate::keywords::GENERIC;

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
        let mut words = Vec::new();
        each_term(text, |term| {
            let stem = term.stem();
            if words.len() < MAX_WORDS && seen.insert(stem.clone().into_owned()) {
                let anybody = is_common(term.lower) || GENERIC.contains(&term.lower);
                words.push(QueryWord {
                    word: term.word.to_owned(),
                    stem: stem.into_owned(),
                    is_common: anybody && !term.is_whole,
                    is_whole: term.is_whole,
                });
            }
        });
        Self { words }
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
