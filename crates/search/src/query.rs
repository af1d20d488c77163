use std::collections::BTreeMap;

use crate::code_names::{each_file_name, each_path, is_file_name};
use crate::stop_words::is_stop_word;
use crate::terms::{Term, TermKind, each_term};
use crate::word_lists::is_vague;
use crate::word_parts::{parts_of, words_of};

/// Maximum number of different words of a question.
const MAX_WORDS: usize = 64;

/// Gives the terms of `text` by which records are indexed and asked for: words, names of code, paths of code and names of files.
pub fn each_indexed(text: &str, mut take: impl FnMut(Term<'_>)) {
    each_term(text, &mut take);
    each_path(text, &mut take);
    each_file_name(text, &mut take);
}

/// Words of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words, each once, in the order of the question.
    pub words: Vec<QueryWord>,
}

/// Word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as it was written.
    pub word: String,
    /// The form that is compared.
    pub stem: String,
    /// The word in small letters, if that is another form.
    pub(crate) lower: Option<String>,
    /// True if the word may be said of anything.
    pub is_common: bool,
    /// Number of times that the word was written.
    pub times: u32,
    /// Kind of the term.
    pub kind: TermKind,
    /// The word that this one is taken for, if it was misspelt.
    pub corrected: Option<String>,
    /// True if no other word says the same: a version, a date, the name of a file.
    pub(crate) is_exact: bool,
    /// Numbers of the words that a name of code is made of.
    pub(crate) parts: Vec<usize>,
}

impl QueryWord {
    /// True if an answer is expected to have the word: a name of code counts by its parts, unless these are all common.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.kind == TermKind::Word || (self.kind == TermKind::Name && self.is_common)
    }

    /// True if an answer is known by the word.
    #[must_use]
    pub fn is_telling(&self) -> bool {
        self.is_asked() && (!self.is_common || self.kind == TermKind::Name)
    }

    /// The word as it is reported, with the one that it is taken for.
    #[must_use]
    pub fn reported(&self) -> String {
        match &self.corrected {
            Some(other) => format!("{} (taken for {other})", self.word),
            None => self.word.clone(),
        }
    }
}

impl Query {
    /// Takes `text` apart; stop words are left out.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut words: Vec<QueryWord> = Vec::new();
        each_indexed(text, |term| {
            let stem = term.stem().into_owned();
            if let Some(at) = places.get(&stem) {
                words[*at].times += 1;
            } else if words.len() < MAX_WORDS {
                places.insert(stem.clone(), words.len());
                words.push(word_of(&term, stem));
            }
        });
        for word in &mut words {
            if word.kind == TermKind::Name {
                each_term(&word.word, |term| {
                    word.parts.extend(places.get(&*term.stem()))
                });
                word.parts
                    .retain(|part| places.get(&word.stem) != Some(part));
            }
        }
        Self { words }
    }

    /// Number of words that tell what the question is about.
    #[must_use]
    pub fn telling_words(&self) -> usize {
        self.words.iter().filter(|word| word.is_telling()).count()
    }
}

fn word_of(term: &Term<'_>, stem: String) -> QueryWord {
    let is_vague_part = |part: &str| {
        let part = part.to_lowercase();
        is_vague(&part) || is_stop_word(&part)
    };
    let is_common = match term.kind {
        TermKind::Word => is_vague(term.lower),
        _ => words_of(term.word).flat_map(parts_of).all(is_vague_part),
    };
    QueryWord {
        word: term.word.to_owned(),
        lower: (stem != term.lower).then(|| term.lower.to_owned()),
        is_exact: match term.kind {
            TermKind::Word => is_number(&stem),
            TermKind::Name => is_file_name(term.word),
            TermKind::Beginning => false,
        },
        stem,
        is_common,
        times: 1,
        kind: term.kind,
        corrected: None,
        parts: Vec::new(),
    }
}

/// True for a version, a date or the like.
fn is_number(stem: &str) -> bool {
    let mut marks = stem.bytes().filter(|byte| !byte.is_ascii_digit());
    marks.next().is_some_and(|mark| b".-/:".contains(&mark))
}
