use std::collections::{BTreeMap, BTreeSet};

use windlass_search::{Term, TermKind, is_common, is_file_name, is_stop_word, parts_of, words_of};

use super::quantity::quantity;
use crate::recall::question_form::form_words;
use crate::recall::recall_terms::each_term;
use crate::records::keywords::GENERIC;
use crate::texts::everyday::{is_everyday, is_filler, is_matter};

/// The most different words of a question that are looked for: more is a text, and no question.
const MAX_WORDS: usize = 64;

/// What somebody asks, as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Its words, each once, in the order they were asked.
    pub words: Vec<QueryWord>,
    /// What it asks how many there are of, as [`near_number`](super::quantity::near_number) writes it; nothing where it asks for no number.
    pub(super) quantity: Option<String>,
    /// Whether it was looked up what was meant by words that stand nowhere.
    pub(super) is_corrected: bool,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// As it was written.
    pub word: String,
    /// As it is compared.
    pub stem: String,
    /// Whether anybody may say it of anything, or only the form of the question has it.
    pub is_common: bool,
    /// Whether it fills a sentence: a record that has it is not known by it, and one that lacks it lacks a word all the same.
    pub is_filler: bool,
    /// Whether texts are made of such words, whatever they are about.
    pub(super) is_everyday: bool,
    /// Whether what is asked for may be this of something, and not the thing itself.
    pub(super) is_matter: bool,
    /// Whether it is a name of code of which all parts are words that anybody may say: the whole of it alone says what is asked.
    pub(super) is_told_as_a_whole: bool,
    /// How often it was written.
    pub times: u32,
    /// What it is beside other words.
    pub kind: TermKind,
    /// In small letters as it was written, where that is not how it is compared: a name of code as a whole is.
    pub(super) plain: Option<String>,
    /// How the word is compared that it was meant for, where it stands nowhere and is a letter or two otherwise.
    pub(super) near: Option<String>,
    /// The word that it was meant for, as it is written where that is known.
    pub(super) meant: Option<String>,
}

impl QueryWord {
    /// Whether a record has to have it: names as a whole are made of words that are there as well, unless these say nothing, and how a
    /// version begins is no version.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.kind == TermKind::Word || self.is_told_as_a_whole
    }

    /// Notes that `word` was meant, which is compared as `stem` and says as much as that does.
    pub(super) fn means(&mut self, stem: String, word: &str) {
        self.is_common = is_anybodys(word);
        self.is_filler = is_filler(word);
        self.is_everyday = is_everyday(word);
        self.is_matter = is_matter(word);
        self.meant = Some(if word.is_empty() {
            stem.clone()
        } else {
            word.to_owned()
        });
        self.near = Some(stem);
    }

    /// As it was written, with the word that it is taken for.
    pub(super) fn told(&self) -> String {
        match &self.meant {
            Some(meant) => format!("{} (taken for {meant})", self.word),
            None => self.word.clone(),
        }
    }

    /// As it is looked for.
    pub(super) fn sought(&self) -> &str {
        self.near.as_deref().unwrap_or(&self.stem)
    }

    /// In small letters, as it was written.
    pub(super) fn lower(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.stem)
    }

    /// Whether it is a version, a date or the like, which nobody says in other words.
    pub(super) fn is_number(&self) -> bool {
        let mut marks = self.stem.bytes().filter(|byte| !byte.is_ascii_digit());
        marks.next().is_some_and(|mark| b".-/:".contains(&mark))
    }
}

/// A name of code that is asked for, by the numbers of words of the question.
pub(super) struct AskedName {
    /// The whole of it.
    whole: usize,
    /// What its words are, those apart that anybody may say.
    parts: Vec<usize>,
}

impl AskedName {
    /// Whether it stands in a text that `has` words by their numbers: the whole of it, or all of its parts.
    pub(super) fn is_met(&self, has: impl Fn(usize) -> bool) -> bool {
        has(self.whole) || self.parts.iter().all(|part| has(*part))
    }
}

impl Query {
    /// The words of `text`; stop words are none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut words: Vec<QueryWord> = Vec::new();
        let form = form_words(text);
        each_term(text, |term| {
            let stem = term.stem();
            if let Some(at) = places.get(&*stem) {
                words[*at].times += 1;
            } else if words.len() < MAX_WORDS {
                places.insert(stem.clone().into_owned(), words.len());
                let anybody = is_anybodys(term.lower) || form.contains(term.lower);
                let is_stemmed = *stem != *term.lower;
                words.push(QueryWord {
                    word: term.word.to_owned(),
                    plain: is_stemmed.then(|| term.lower.to_owned()),
                    stem: stem.into_owned(),
                    is_common: anybody && term.kind == TermKind::Word,
                    is_filler: is_filler(term.lower) && term.kind == TermKind::Word,
                    is_everyday: is_everyday(term.lower) && term.kind == TermKind::Word,
                    is_matter: is_matter(term.lower) && term.kind == TermKind::Word,
                    is_told_as_a_whole: is_told_as_a_whole(&term),
                    times: 1,
                    kind: term.kind,
                    near: None,
                    meant: None,
                });
            }
        });
        Self {
            words,
            quantity: quantity(text),
            is_corrected: false,
        }
    }

    /// Whether a word of it is looked for as `stem`.
    pub(super) fn has(&self, stem: &str) -> bool {
        self.words.iter().any(|word| word.sought() == stem)
    }

    /// The names of code in it whose parts say something.
    pub(super) fn names(&self) -> impl Iterator<Item = AskedName> + '_ {
        let names = self.words.iter().enumerate();
        names.filter_map(|(at, word)| {
            let is_of_parts = word.kind == TermKind::Name && !word.word.contains(['/', '-']);
            if !is_of_parts || is_file_name(&word.word) {
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
            (!parts.is_empty()).then_some(AskedName { whole: at, parts })
        })
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

    /// The stems by which it is known again, and the others that it has: where nothing says what it is about, what anybody may say is
    /// all that it can be known by.
    pub(super) fn known_by(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let (telling, common) = (self.telling(), self.common());
        match telling.is_empty() {
            true => (common, telling),
            false => (telling, common),
        }
    }

    /// The stems that anybody may say.
    fn common(&self) -> BTreeSet<String> {
        self.stems(true)
    }

    fn stems(&self, is_common: bool) -> BTreeSet<String> {
        let words = self.words.iter().filter(|word| word.is_asked());
        let words = words.filter(|word| word.is_common == is_common);
        words.map(|word| word.stem.clone()).collect()
    }
}

/// Whether `word`, in small letters, is one that anybody may say of anything.
fn is_anybodys(word: &str) -> bool {
    is_common(word) || GENERIC.contains(&word)
}

/// Whether it is a name of code that is made of nothing but words that anybody may say, and of such as hold sentences together.
fn is_told_as_a_whole(term: &Term<'_>) -> bool {
    let parts = words_of(term.word).flat_map(parts_of);
    let mut parts = parts.map(str::to_lowercase);
    term.kind == TermKind::Name && parts.all(|part| is_anybodys(&part) || is_stop_word(&part))
}
