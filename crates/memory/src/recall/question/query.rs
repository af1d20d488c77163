use std::collections::{BTreeMap, BTreeSet};

use windlass_search::{TermKind, is_file_name};

use super::query_word::QueryWord;
use super::question_form::form_words;
use super::terms::each_term;

/// Maximum number of different words. The rest of a longer question is ignored.
const MAX_WORDS: usize = 64;

/// A question, split into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Each word once, in the order of the question.
    pub words: Vec<QueryWord>,
    /// True after spelling correction.
    pub(super) is_corrected: bool,
}

/// A code name in a question, e.g. `Parser::new`.
pub(crate) struct CodeName {
    /// Index of the query word for the whole name.
    whole: usize,
    /// Indexes of the query words for its parts, without common words.
    parts: Vec<usize>,
}

impl CodeName {
    /// True if a text contains the whole name, or else all of its parts. `has` tells if the text
    /// contains a word, given the word's index.
    pub(crate) fn is_met(&self, has: impl Fn(usize) -> bool) -> bool {
        has(self.whole) || self.parts.iter().all(|part| has(*part))
    }
}

impl Query {
    /// Splits `text` into words, without stop words.
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
            is_corrected: false,
        }
    }

    pub(super) fn has(&self, stem: &str) -> bool {
        self.words.iter().any(|word| word.lookup_stem() == stem)
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &QueryWord> {
        self.words.iter().filter(|word| word.is_required())
    }

    /// The code names with at least one distinctive part.
    pub(crate) fn code_names(&self) -> impl Iterator<Item = CodeName> + '_ {
        let names = self.words.iter().enumerate();
        names.filter_map(|(at, word)| {
            // We don't take paths, file names and names with hyphens apart.
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

    /// The number of different words that are not common. These are the question's subject.
    #[must_use]
    pub fn subject_words(&self) -> u32 {
        u32::try_from(self.subject().len()).unwrap_or(u32::MAX)
    }

    /// The stems that [`subject_words`](Self::subject_words) counts.
    pub(crate) fn subject(&self) -> BTreeSet<String> {
        self.stems(false)
    }

    /// The stems that identify the question, and the remaining ones. If the question only has
    /// common words, then those must do to identify it.
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
