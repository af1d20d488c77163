//! The word lists in `data/words.toml`. The file documents their purposes.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::name_kind::Kind;

/// A list of words, ordered by length and letters for a fast search.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<String>")]
pub(crate) struct List(Vec<String>);

pub(crate) type ByKind = BTreeMap<Kind, List>;

impl From<Vec<String>> for List {
    fn from(mut words: Vec<String>) -> Self {
        words.sort_unstable_by(|a, b| order(a, b.bytes()));
        Self(words)
    }
}

/// Compares a word of a list with another word, by length first.
fn order(word: &str, other: impl ExactSizeIterator<Item = u8>) -> Ordering {
    let by_length = word.len().cmp(&other.len());
    by_length.then_with(|| word.bytes().cmp(other))
}

impl List {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.has_bytes(word.as_bytes())
    }

    pub(crate) fn has_bytes(&self, word: &[u8]) -> bool {
        let search = |known: &String| order(known, word.iter().copied());
        self.0.binary_search_by(search).is_ok()
    }

    /// Returns true if `word` is on the list, ignoring case. The list's own words are in lower
    /// case.
    pub(crate) fn has_any_case(&self, word: &[u8]) -> bool {
        let search = |known: &String| order(known, word.iter().map(u8::to_ascii_lowercase));
        self.0.binary_search_by(search).is_ok()
    }
}

impl Deref for List {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Words {
    pub(crate) placeholders: List,
    pub(crate) kinds: List,
    pub(crate) prose: List,
    pub(crate) descriptions: List,
    pub(crate) describing_ends: List,
    pub(crate) methods: List,
    pub(crate) about: List,
    pub(crate) about_short: List,
    pub(crate) ordinary: List,
    pub(crate) path_roots: List,
    pub(crate) path_ends: List,
    pub(crate) last: ByKind,
    pub(crate) joined: ByKind,
    pub(crate) keys: ByKind,
    pub(crate) open_keys: List,
    pub(crate) which: List,
    pub(crate) accounts: List,
    pub(crate) access_tokens: List,
    pub(crate) page_tokens: List,
    pub(crate) about_names: List,
    pub(crate) other_letters: List,
    pub(crate) stems: List,
    pub(crate) sets_behind_blank: List,
    pub(crate) objects: List,
    pub(crate) sql_first: List,
    pub(crate) block_statements: List,
}

pub(crate) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    let read = || serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/words.json")));
    WORDS.get_or_init(|| read().expect("a test reads the data"))
}
