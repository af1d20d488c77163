use std::collections::{BTreeMap, BTreeSet};

use super::quantity::quantity;

use windlass_words::{TermKind, each_term, is_common};

use crate::everyday::is_filler;
use crate::keywords::GENERIC;

/// The most different words of a question that are looked for: more is a text, and no question.
const MAX_WORDS: usize = 64;

/// What somebody asks, as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Its words, each once, in the order they were asked.
    pub words: Vec<QueryWord>,
    /// What it asks how many there are of, as [`near_number`](super::quantity::near_number) writes it; nothing where it asks for no number.
    pub(super) quantity: Option<String>,
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
    /// Whether it fills a sentence: a record that has it is not known by it, and one that lacks it lacks a word all the same.
    pub is_filler: bool,
    /// How often it was written.
    pub times: u32,
    /// What it is beside other words.
    pub kind: TermKind,
    /// In small letters as it was written, where that is not how it is compared: a name of code as a whole is.
    pub(super) plain: Option<String>,
}

impl QueryWord {
    /// Whether a record has to have it: names as a whole are made of words that are there as well, and how a version begins is
    /// no version.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.kind == TermKind::Word
    }

    /// Whether it is a version, a date or the like, which nobody says in other words.
    pub(super) fn is_number(&self) -> bool {
        let mut marks = self.stem.bytes().filter(|byte| !byte.is_ascii_digit());
        marks.next().is_some_and(|mark| b".-/:".contains(&mark))
    }
}

impl Query {
    /// The words of `text`; stop words are none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut words: Vec<QueryWord> = Vec::new();
        each_term(text, |term| {
            let stem = term.stem();
            if let Some(at) = places.get(&*stem) {
                words[*at].times += 1;
            } else if words.len() < MAX_WORDS {
                places.insert(stem.clone().into_owned(), words.len());
                let anybody = is_common(term.lower) || GENERIC.contains(&term.lower);
                let is_stemmed = *stem != *term.lower;
                words.push(QueryWord {
                    word: term.word.to_owned(),
                    plain: is_stemmed.then(|| term.lower.to_owned()),
                    stem: stem.into_owned(),
                    is_common: anybody && term.kind == TermKind::Word,
                    is_filler: is_filler(term.lower) && term.kind == TermKind::Word,
                    times: 1,
                    kind: term.kind,
                });
            }
        });
        Self {
            words,
            quantity: quantity(text),
        }
    }

    /// How many different words say what it is about.
    #[must_use]
    pub fn telling_words(&self) -> u32 {
        u32::try_from(self.telling().len()).unwrap_or(u32::MAX)
    }

    /// The stems that say what it is about.
    pub(crate) fn telling(&self) -> BTreeSet<String> {
        self.stems(false)
    }

    /// The stems that anybody may say.
    pub(super) fn common(&self) -> BTreeSet<String> {
        self.stems(true)
    }

    fn stems(&self, is_common: bool) -> BTreeSet<String> {
        let words = self.words.iter().filter(|word| word.is_asked());
        let words = words.filter(|word| word.is_common == is_common);
        words.map(|word| word.stem.clone()).collect()
    }
}
