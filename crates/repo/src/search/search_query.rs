//! Queries for lines and their results.
//!
//! The options have the meaning that they have in `rg`, so that users know what to expect. Results
//! are the same for any number of threads.

use serde::{Deserialize, Serialize};
use windlass_base::{LineSpan, RepoPath};

use crate::walk::{ListError, ListQuery, Withheld};

/// Treatment of upper and lower case, as in `rg`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseMode {
    /// Case matters, like in `rg` without an option.
    #[default]
    Sensitive,
    /// Case only matters if the pattern contains an upper case letter.
    Smart,
    /// Case does not matter.
    Insensitive,
}

/// A query for matching lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchQuery {
    /// Regular expression in the syntax of `rg`. A match never extends over more than one line.
    pub pattern: String,
    /// True to take `pattern` as plain text instead of a regular expression.
    pub fixed: bool,
    /// Case sensitivity (default: [`CaseMode::Sensitive`]).
    pub case: CaseMode,
    /// True to accept only matches between word boundaries, like `rg -w`.
    pub word: bool,
    /// The files to search (default: the whole repository). The limit in there is ignored.
    pub scope: ListQuery,
    /// Number of lines around a match to include in [`FileMatches::spans`] (default: 0).
    pub context: u32,
    /// Maximum number of matching lines to list in all files (default: 1,000), in order of path and
    /// line. Any further ones are only counted.
    pub max_matches: u32,
    /// Maximum number of matching lines to list in a single file, or `None` for no limit.
    pub max_matches_per_file: Option<u32>,
    /// True to report only the names of matching files. The search then stops at the first match in
    /// each file, and the totals count files instead of lines.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
}

impl Default for SearchQuery {
    /// Returns a query with an empty pattern, which matches every line.
    fn default() -> Self {
        Self {
            pattern: String::new(),
            fixed: false,
            case: CaseMode::default(),
            word: false,
            scope: ListQuery::default(),
            context: 0,
            max_matches: 1000,
            max_matches_per_file: None,
            first_only: false,
        }
    }
}

/// The lines found by a search, and counts of the omitted ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// Files with matches, in path order and up to the limits of the query.
    pub files: Vec<FileMatches>,
    /// Number of matching lines. The limits do not apply.
    pub total_matches: u64,
    /// Number of files with a match. The limits do not apply.
    pub files_with_matches: u32,
    /// Number of text files searched. See `binary_files` for the others.
    pub files_searched: u32,
    /// Number of binary files, which are not searched. This does not include files in UTF-16 or
    /// UTF-32, or those in [`Withheld::nul_text`].
    pub binary_files: u32,
    /// True if `files` does not have all matches.
    pub truncated: bool,
    /// Files found but not searched, counted by reason.
    pub withheld: Withheld,
    /// Number of folder entries that we saw on the way, whether or not we searched them. Like
    /// `bytes`, it is a measure of the work done.
    #[serde(skip)]
    pub entries: u64,
    /// Number of bytes searched.
    #[serde(skip)]
    pub bytes: u64,
}

/// A file with at least one match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileMatches {
    /// Relative to the root.
    pub path: RepoPath,
    /// Matching lines, up to the limits of the query.
    pub lines: Vec<LineMatch>,
    /// Number of matching lines. The limits do not apply.
    pub total: u32,
    /// Lines to show: each match with its context. If ranges overlap or touch, they are merged.
    pub spans: Vec<LineSpan>,
}

/// A line with at least one match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LineMatch {
    /// Line number (1-based).
    pub line: u32,
    /// Byte position of the first match in the line (1-based). A byte order mark at the start of
    /// the file does not count, because editors do not show it.
    pub column: u32,
}

/// Reason for a failed search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The pattern is not a valid regular expression.
    #[error(
        "the pattern is not a regular expression: {message}; to match it literally, search for plain text"
    )]
    Pattern {
        /// Description of the error in several lines, with a marker below the position in the
        /// pattern.
        message: String,
    },
    /// The files cannot be listed.
    #[error(transparent)]
    List(#[from] ListError),
}

impl SearchError {
    /// Returns the message on one line, without the marker.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::Pattern { message } => {
                let why = why(message);
                format!("the pattern is not a regular expression: {why}")
            }
            Self::List(error) => error.to_string(),
        }
    }

    /// Returns the same error with its message on one line, for output where the marker would not
    /// be aligned.
    #[must_use]
    pub fn on_one_line(self) -> Self {
        match self {
            Self::Pattern { message } => Self::Pattern {
                message: why(&message).to_owned(),
            },
            other => other,
        }
    }
}

fn why(message: &str) -> &str {
    let last = message.lines().last().unwrap_or(message);
    last.strip_prefix("error: ").unwrap_or(last)
}

/// Adds `context` lines around each of `lines`, which must be sorted, and merges ranges that
/// overlap or touch.
pub(super) fn widen(lines: &[LineMatch], context: u32, line_count: u32) -> Vec<LineSpan> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for LineMatch { line, .. } in lines {
        let start = line.saturating_sub(context).max(1);
        // Without context, nobody has counted the lines, and `line_count` is 0.
        let end = line.saturating_add(context).min(line_count.max(*line));
        match spans.last_mut() {
            Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
            _ => spans.push((start, end)),
        }
    }
    spans
        .into_iter()
        .filter_map(|(start, end)| LineSpan::new(start, end).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widen_merges_within_file() {
        let lines = |numbers: &[u32]| -> Vec<LineMatch> {
            numbers
                .iter()
                .map(|line| LineMatch {
                    line: *line,
                    column: 1,
                })
                .collect()
        };
        let text = |spans: Vec<LineSpan>| {
            let spans: Vec<_> = spans.iter().map(ToString::to_string).collect();
            spans.join(" ")
        };
        assert_eq!(text(widen(&lines(&[1, 2, 5, 20]), 0, 20)), "1-2 5 20");
        assert_eq!(text(widen(&lines(&[1, 5, 20]), 2, 20)), "1-7 18-20");
        assert_eq!(text(widen(&lines(&[1, 6]), 2, 20)), "1-8");
    }
}
