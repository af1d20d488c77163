//! Requests and results for a search.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::{Pointer, Redacted, RepoPath, counted};
use windlass_repo::Refusal;

/// A question and the limits for its answer.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// The question in plain words. Code names in it are also split into their parts.
    pub question: String,
    /// Maximum number of tokens for all places together.
    pub max_tokens: usize,
    /// Folders and files to search, or empty for the whole repository.
    pub paths: Vec<RepoPath>,
}

/// Places that answer the question, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The places within the token budget.
    pub places: Vec<FoundPlace>,
    /// The number of files read.
    pub files_read: usize,
    /// Files we didn't read, by reason.
    #[serde(flatten)]
    pub skipped: Skipped,
    /// Number of further places that answer the question but exceed the budget.
    pub left_out: usize,
    /// Confidence that the first place is the right one, in percent. This is the share of the
    /// question's word weight covered by the best place, or by one with a similar score. If it's
    /// too low, `places` is empty.
    pub confidence: u8,
    /// The nearest place, set only if `places` is empty because of low confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Pointer>,
}

/// Numbers of files found but not read, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Files larger than 1 MiB, which most likely contain data.
    pub too_large: usize,
    /// Files with a name that isn't UTF-8 or looks like a path outside the repository.
    pub names_not_utf8: usize,
    /// Binary files, and text files in UTF-16 or UTF-32.
    pub not_text: usize,
    /// Files with secret contents, and files excluded by the list of secret paths.
    pub secret: usize,
    /// Files and folders the operating system doesn't let us read.
    pub unreadable: usize,
}

impl Skipped {
    /// Counts a file that couldn't be read, unless it was deleted during the search.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }

    /// Describes the skipped files in words, such as `3 files skipped: 2 binary or not UTF-8, 1
    /// kept secret`. Returns `None` if no file was skipped.
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
    /// The place's location, with a hash of its lines.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Path of the symbol defined by the place, or `None` if it defines no symbol or several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Score relative to the best place, in percent.
    pub score: u8,
    /// The place's text.
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

/// Statistics about files outside the searched subset. We need them because a word's weight depends
/// on how many files of the whole repository contain it.
#[derive(Debug, Default)]
pub struct Others {
    /// Total number of files in the repository, including the searched ones.
    pub files: usize,
    /// Number of files with each word stem, as far as known. For other words, we extrapolate from
    /// the searched files.
    pub having: BTreeMap<String, usize>,
    /// Maximum number of files to split into passages, or `None` for the default. Callers with
    /// little time set a low limit.
    pub parsed: Option<usize>,
}

/// Answer from a subset of a repository's files.
#[derive(Debug, Default)]
pub struct FoundIn {
    /// The places within the token budget, best first.
    pub places: Vec<FoundPlace>,
    /// Files with words of the question in their text, sorted by path.
    pub files: Vec<Having>,
    /// Files skipped because they are too large, sorted by path.
    pub too_large: Vec<RepoPath>,
}

/// A file's words of the question.
#[derive(Debug)]
pub struct Having {
    /// The file's path.
    pub path: RepoPath,
    /// Stems of the question's words found in the file.
    pub words: Vec<String>,
    /// Share of these words in the question's total word weight, from 0 to 1. The total leaves out
    /// words found in no file.
    pub share: f64,
}
