//! What is asked, and what was found.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::{Pointer, Redacted, RepoPath};

/// What is asked.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// In words; names of code are taken apart as well.
    pub question: String,
    /// How many tokens of text to show at most.
    pub max_tokens: usize,
    /// Where to look; everywhere if empty.
    pub paths: Vec<RepoPath>,
}

/// The places that answer best, the best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The places.
    pub places: Vec<FoundPlace>,
    /// How many files were read.
    pub files_read: usize,
    /// How many were not, as they are too large to be more than data.
    pub too_large: usize,
    /// How many places answer as well, for which there was no room.
    pub left_out: usize,
    /// How sure it is that the first place is meant, in percent: the most of what the words of the question tell that stands there
    /// or in a place close behind. Where that is too little, there are no places.
    pub confidence: u8,
    /// Where there are no places for that: the place that comes nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Pointer>,
}

/// A place that answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPlace {
    /// Where, with the hash of its lines.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What stands there, by name, where it is one thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// How well it answers, in percent of the best.
    pub score: u8,
    /// Its text.
    pub text: Redacted,
}

impl FoundPlace {
    /// As it is printed: where, what, and the text.
    #[must_use]
    pub fn printed(&self) -> String {
        let symbol = self
            .symbol
            .as_ref()
            .map(|symbol| format!(" {symbol}"))
            .unwrap_or_default();
        format!("{}{symbol}\n{}\n\n", self.pointer, self.text.as_str())
    }
}

/// What is known of the files that are not looked at: how much a word tells depends on them as well.
#[derive(Debug, Default)]
pub struct Others {
    /// How many files there are in all, with those that are looked at.
    pub files: usize,
    /// How many of them have a word, by its stem, as far as that is known; of other words it is as many as of those looked at.
    pub having: BTreeMap<String, usize>,
    /// How many files are taken apart at most, where whoever asks has less time.
    pub parsed: Option<usize>,
}

/// What some files of a repository answer.
#[derive(Debug, Default)]
pub struct FoundIn {
    /// The places.
    pub places: Vec<FoundPlace>,
    /// The files that have words of the question in their text, in the order of their paths.
    pub files: Vec<Having>,
    /// The files that are too large to be read, in the order of their paths.
    pub too_large: Vec<RepoPath>,
}

/// What a file has of the question.
#[derive(Debug)]
pub struct Having {
    /// Its path.
    pub path: RepoPath,
    /// The stems of the words.
    pub words: Vec<String>,
    /// The share of what the question tells that these are, 0 to 1, of what stands in any file at all.
    pub share: f64,
}
