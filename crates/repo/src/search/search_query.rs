use serde::{Deserialize, Serialize};
use windlass_base::{LineSpan, RepoPath};

use crate::walk::{ListError, ListQuery, Withheld};

/// Treatment of upper and lower case in a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseMode {
    /// Upper and lower case differ.
    #[default]
    Sensitive,
    /// Ignore case unless the pattern has an upper case letter.
    Smart,
    /// Ignore case.
    Insensitive,
}

/// A query for matching lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchQuery {
    /// Regular expression in the syntax of `rg`. A match never spans lines.
    pub pattern: String,
    /// True if the pattern is plain text instead of a regular expression.
    pub fixed: bool,
    /// Treatment of case.
    pub case: CaseMode,
    /// True if a match must begin and end at a word boundary.
    pub word: bool,
    /// The files to search. The limit of this list query is ignored.
    pub scope: ListQuery,
    /// Number of lines to show before and after a match (see [`FileMatches::spans`]).
    pub context: u32,
    /// Maximum number of listed matching lines in total, in order of path and line. Further lines
    /// are only counted.
    pub max_matches: u32,
    /// Maximum number of listed matching lines per file, or `None` for no limit.
    pub max_matches_per_file: Option<u32>,
    /// True if you only need the names of matching files. The search then stops at the first match
    /// in each file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
}

impl Default for SearchQuery {
    /// Returns a query with an empty pattern for all files, which lists up to 1,000 matches.
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

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// Files with matches, in path order and up to the limits.
    pub files: Vec<FileMatches>,
    /// Number of matching lines, regardless of the limits.
    pub total_matches: u64,
    /// Number of files with a match, regardless of the limits.
    pub files_with_matches: u32,
    /// Number of files searched.
    pub files_searched: u32,
    /// Number of files with a NUL byte. The search stops there.
    pub binary_files: u32,
    /// True if matches are missing because of a limit.
    pub truncated: bool,
    /// Counts of files found but not searched.
    pub withheld: Withheld,
    /// Number of visited files and folders, including files that weren't searched.
    #[serde(skip)]
    pub entries: u64,
    /// Number of bytes searched.
    #[serde(skip)]
    pub bytes: u64,
}

/// The matches in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileMatches {
    /// The file's path, relative to the root.
    pub path: RepoPath,
    /// Matching lines, up to the limits.
    pub lines: Vec<LineMatch>,
    /// Number of matching lines, regardless of the limits.
    pub total: u32,
    /// Line ranges to show. Each is a match with its context, and ranges that touch are merged.
    pub spans: Vec<LineSpan>,
}

/// A line with at least one match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LineMatch {
    /// The line number, starting at 1.
    pub line: u32,
    /// Column of the first match on the line, in bytes and starting at 1. A byte order mark doesn't
    /// count.
    pub column: u32,
}

/// A failed search query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The pattern is not a valid regular expression.
    #[error(
        "the pattern is not a regular expression: {message}; to match it literally, search for plain text"
    )]
    Pattern {
        /// A description of the error, with a marker below the position.
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

    /// Returns the same error with a one-line message.
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

/// Returns the description of a pattern error, without the marker.
fn why(message: &str) -> &str {
    let last = message.lines().last().unwrap_or(message);
    last.strip_prefix("error: ").unwrap_or(last)
}

/// Adds `context` lines around each of `lines`, and merges ranges that touch. The file has
/// `line_count` lines.
pub(super) fn widen(lines: &[LineMatch], context: u32, line_count: u32) -> Vec<LineSpan> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for LineMatch { line, .. } in lines {
        let start = line.saturating_sub(context).max(1);
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
