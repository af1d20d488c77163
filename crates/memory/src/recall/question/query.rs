//! Questions in the form used for searching.

use std::collections::{BTreeMap, BTreeSet};

use windlass_search::{TermKind, is_file_name};

use super::quantity::quantity;
use super::query_word::QueryWord;
use super::question_form::form_words;
use super::terms::each_term;

/// Maximum number of different words. Any further words are ignored.
const MAX_WORDS: usize = 64;

/// A question as a list of words, each with the properties that decide how much it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The different words, in the order of the question.
    pub words: Vec<QueryWord>,
    /// A term from [`near_number`](super::quantity::near_number) if the question asks for a number
    /// of things.
    pub(crate) quantity: Option<String>,
    /// True if spelling correction has already been applied.
    pub(super) is_corrected: bool,
}

/// A code name in a question, such as `Parser::new`, as indices of query words.
pub(crate) struct CodeName {
    /// Index of the word that is the whole name.
    whole: usize,
    /// Indices of the parts that aren't common words.
    parts: Vec<usize>,
}

impl CodeName {
    /// Returns true if a text contains the whole name or all of its parts. `has` looks up a word in
    /// the text.
    pub(crate) fn is_met(&self, has: impl Fn(usize) -> bool) -> bool {
        has(self.whole) || self.parts.iter().all(|part| has(*part))
    }
}

impl Query {
    /// Splits `text` into words and removes stop words.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut words: Vec<QueryWord> = Vec::new();
        let form = form_words(text);
        each_term(text, |term| {
            let stem = term.stem();
            if let Some(at) = numbers.get(&*stem) {
                words[*at].times += 1;
            } else if words.len() < MAX_WORDS {
                numbers.insert(stem.into_owned(), words.len());
                words.push(QueryWord::of(&term, form.contains(term.lower)));
            }
        });
        Self {
            words,
            quantity: quantity(text),
            is_corrected: false,
        }
    }

    /// Returns true if one of the words is looked up as `stem`.
    pub(super) fn has(&self, stem: &str) -> bool {
        self.words.iter().any(|word| word.lookup_stem() == stem)
    }

    /// Returns the words that a matching record should contain.
    pub(crate) fn required(&self) -> impl Iterator<Item = &QueryWord> {
        self.words.iter().filter(|word| word.is_required())
    }

    /// Returns the code names with at least one part that isn't a common word.
    pub(crate) fn code_names(&self) -> impl Iterator<Item = CodeName> + '_ {
        let names = self.words.iter().enumerate();
        names.filter_map(|(at, word)| {
            let has_parts = word.kind == TermKind::Name && !word.word.contains(['/', '-']);
            if !has_parts || is_file_name(&word.word) {
                return None;
            }
            let mut parts = Vec::new();
            each_term(&word.word, |term| {
                let part = self.words.iter().position(|word| word.stem == term.stem());
                parts.extend(part.filter(|part| {
                    let word = &self.words[*part];
                    word.kind == TermKind::Word && !word.is_common
                }));
            });
            (!parts.is_empty()).then_some(CodeName { whole: at, parts })
        })
    }

    /// Returns the number of different words that aren't common. They're the question's subject.
    #[must_use]
    pub fn subject_words(&self) -> u32 {
        u32::try_from(self.subject().len()).unwrap_or(u32::MAX)
    }

    /// Returns the stems of the words that aren't common. They're the question's subject.
    pub(crate) fn subject(&self) -> BTreeSet<String> {
        self.stems(false)
    }

    /// Returns the stems that identify the question, and its other stems. Common words identify a
    /// question only if it has no others.
    pub(crate) fn signature(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let (subject, common) = (self.subject(), self.stems(true));
        match subject.is_empty() {
            true => (common, subject),
            false => (subject, common),
        }
    }

    fn stems(&self, is_common: bool) -> BTreeSet<String> {
        let words = self.required().filter(|word| word.is_common == is_common);
        words.map(|word| word.stem.clone()).collect()
    }
}
