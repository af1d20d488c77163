//! A question for `find`, and the answer.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::{Pointer, Redacted, RepoPath, counted};
use windlass_repo::Refusal;

/// A question, with limits for the answer.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// The question in plain words. If there is a code name in it, we also look for the parts of
    /// the name.
    pub question: String,
    /// Token budget for all places together.
    pub max_tokens: usize,
    /// Files and folders to search. If there are none, we search the whole repository.
    pub paths: Vec<RepoPath>,
}

/// Places that answer the question, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The places within the token budget, best first.
    pub places: Vec<FoundPlace>,
    /// The number of files that we have read. Skipped files do not count.
    pub files_read: usize,
    /// The number of files that we have not searched, by reason.
    #[serde(flatten)]
    pub skipped: Skipped,
    /// The number of further places that the budget has no room for.
    pub left_out: usize,
    /// How confident we are that the first place is the right one, in percent.
    ///
    /// This is the share of the question's word weight that the first place (or one with a similar
    /// score) covers. Thus, it only tells how many of the words occur together. If it is too low,
    /// there are no `places`.
    pub confidence: u8,
    /// The best place, if we are not confident enough to return any `places`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Pointer>,
}

/// The number of files that we have not searched, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Files larger than 1 MiB, which nearly always have data in them.
    pub too_large: usize,
    /// Files whose name is not UTF-8, or looks like a path outside of the repository.
    pub names_not_utf8: usize,
    /// Binary files, and text files in UTF-16 or UTF-32.
    pub not_text: usize,
    /// Files with a secret in them, and files that are on the list of secret paths.
    pub secret: usize,
    /// Files and folders that the operating system does not let us read.
    pub unreadable: usize,
}

impl Skipped {
    /// Counts a file that we could not read. If it was deleted during the search, there is nothing
    /// to report.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }

    /// Describes the skipped files, e.g. `3 files skipped: 2 binary or not UTF-8, 1 kept secret`.
    /// Returns `None` if there are not any.
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

/// Lines that answer the question, along with their text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPlace {
    /// Location of the lines, and a hash of them.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Path of the symbol that the lines define, or `None` if there is none or several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Score in percent of the best place's score.
    pub score: u8,
    /// The text of the lines, with secret values replaced.
    pub text: Redacted,
}

impl FoundPlace {
    /// Formats the place as it is printed: the location and the symbol, and then the text. We count
    /// the tokens of the same string.
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

/// Statistics about a repository, for a search in only some of its files. We need them because a
/// word weighs more if it is rare in the whole repository.
#[derive(Debug, Default)]
pub struct Others {
    /// Number of files in the repository, including those that we search.
    pub files: usize,
    /// Number of files with each word stem. If a stem is missing, we extrapolate from the files
    /// that we search.
    pub having: BTreeMap<String, usize>,
    /// Number of files to split into passages, or `None` for the usual number. The lower it is, the
    /// faster we are.
    pub parsed: Option<usize>,
}

/// The answer of a search in some of the files.
#[derive(Debug, Default)]
pub struct FoundIn {
    /// The places within the token budget, best first.
    pub places: Vec<FoundPlace>,
    /// The files with at least one word of the question, sorted by path.
    pub files: Vec<Having>,
    /// The files that were too large to be searched, sorted by path.
    pub too_large: Vec<RepoPath>,
}

/// A file with words of the question.
#[derive(Debug)]
pub struct Having {
    /// Path relative to the root of the repository.
    pub path: RepoPath,
    /// The stems of these words.
    pub words: Vec<String>,
    /// The share of the question's word weight that these words cover, from 0 to 1. Words that no
    /// file has do not count towards the total.
    pub share: f64,
}
