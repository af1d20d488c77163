//! Requests and results of a search.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::{Pointer, Redacted, RepoPath, counted};
use windlass_repo::Refusal;

/// A question to the repository.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// Question in plain words; names of code are split into their parts as well.
    pub question: String,
    /// Maximum number of tokens of text in the result.
    pub max_tokens: usize,
    /// Folders and files to search; the whole repository if empty.
    pub paths: Vec<RepoPath>,
}

/// Places that answer the question, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// Places within the token budget.
    pub places: Vec<FoundPlace>,
    /// Number of files read.
    pub files_read: usize,
    /// Files that were not read, by reason.
    #[serde(flatten)]
    pub skipped: Skipped,
    /// Number of further places that answer the question but exceed the budget.
    pub left_out: usize,
    /// Confidence that the first place is the intended one, in percent: the highest share of the
    /// question, weighted by its words, covered by the best place or one close behind. If it is too
    /// low, `places` is empty.
    pub confidence: u8,
    /// Nearest place, if `places` is empty because of low confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Pointer>,
}

/// Number of files that a search found and did not read, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Files that are too large to be anything but data.
    pub too_large: usize,
    /// Files whose name is not UTF-8, or reads as a path outside of the repository.
    pub names_not_utf8: usize,
    /// Binary files, and texts in UTF-16 or UTF-32.
    pub not_text: usize,
    /// Files that the list of secret paths excludes, or with secret contents.
    pub secret: usize,
    /// Files and folders that the operating system does not allow to read.
    pub unreadable: usize,
}

impl Skipped {
    /// Counts a file that could not be read; one that vanished meanwhile is not counted.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }

    /// Describes the files in words, the reasons after their number; `None` if there are none.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let reasons = [
            (self.too_large, "of more than 1 MiB"),
            (self.names_not_utf8, "with a name that is not UTF-8"),
            (self.not_text, "binary or not UTF-8"),
            (self.secret, "kept secret"),
            (self.unreadable, "not readable"),
        ];
        let total: usize = reasons.iter().map(|(count, _)| count).sum();
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        (total > 0).then(|| format!("{} skipped: {}", counted(total, "file"), reasons.join(", ")))
    }
}

/// A place that answers the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPlace {
    /// Location, with the hash of its lines.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Path of the symbol at this place, if it is a single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Score in percent of the best place.
    pub score: u8,
    /// Text of the place.
    pub text: Redacted,
}

impl FoundPlace {
    /// Formats the place for output: location, symbol and text.
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

/// Statistics of the files that are not read; word weights depend on them as well.
#[derive(Debug, Default)]
pub struct Others {
    /// Number of files in total, including those that are read.
    pub files: usize,
    /// Number of files per word stem, as far as known. Counts of other words are extrapolated from
    /// the files that are read.
    pub having: BTreeMap<String, usize>,
    /// Maximum number of files to split into passages, for callers with less time.
    pub parsed: Option<usize>,
}

/// Answer from a subset of the files of a repository.
#[derive(Debug, Default)]
pub struct FoundIn {
    /// Places within the token budget, best first.
    pub places: Vec<FoundPlace>,
    /// Files whose text has words of the question, sorted by path.
    pub files: Vec<Having>,
    /// Files too large to be read, sorted by path.
    pub too_large: Vec<RepoPath>,
}

/// Words of the question that a file has.
#[derive(Debug)]
pub struct Having {
    /// Path of the file.
    pub path: RepoPath,
    /// Stems of the words.
    pub words: Vec<String>,
    /// Share of the question's weight that these words make up, 0 to 1. Words that no file has do
    /// not count.
    pub share: f64,
}
