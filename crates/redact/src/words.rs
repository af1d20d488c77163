//! Word lists of `data/words.toml`, which says what each is for.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::name_kind::Kind;

/// List of words.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct List(Vec<String>);

/// Words by what a name with them promises.
pub(crate) type ByKind = BTreeMap<Kind, List>;

impl List {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|known| known == word)
    }

    pub(crate) fn has_bytes(&self, word: &[u8]) -> bool {
        self.0.iter().any(|known| known.as_bytes() == word)
    }

    /// True if `word` is on the list, in any case.
    pub(crate) fn has_any_case(&self, word: &[u8]) -> bool {
        let mut known = self.0.iter();
        known.any(|known| known.as_bytes().eq_ignore_ascii_case(word))
    }
}

impl Deref for List {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

/// All word lists.
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
    pub(crate) published: List,
    pub(crate) secrets: List,
    pub(crate) for_tests: List,
    pub(crate) defaults: List,
    pub(crate) lookups: List,
    pub(crate) makers: List,
    pub(crate) wrappers: List,
    pub(crate) statements: List,
    pub(crate) arguments: List,
    pub(crate) last: ByKind,
    pub(crate) joined: ByKind,
    pub(crate) keys: ByKind,
    pub(crate) open_keys: List,
    pub(crate) which: List,
    pub(crate) accounts: List,
    pub(crate) access_tokens: List,
    pub(crate) page_tokens: List,
    pub(crate) verbs: List,
    pub(crate) about_names: List,
    pub(crate) other_letters: List,
    pub(crate) stems: List,
    pub(crate) prose_which: List,
    pub(crate) prose_verbs: List,
    pub(crate) prose_before: List,
    pub(crate) defining: List,
    pub(crate) setters: List,
    pub(crate) sets: List,
    pub(crate) may_set: List,
    pub(crate) objects: List,
    pub(crate) sql_first: List,
    pub(crate) block_statements: List,
    pub(crate) sql: List,
}

pub(crate) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    let read = || toml::from_str(include_str!("../data/words.toml"));
    WORDS.get_or_init(|| read().expect("a test reads the data"))
}
