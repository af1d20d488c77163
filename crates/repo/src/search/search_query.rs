use serde::{Deserialize, Serialize};
use windlass_base::{LineSpan, RepoPath};

use crate::walk::{ListError, ListQuery, Withheld};

/// The treatment of upper and lower case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseMode {
    /// They are not.
    #[default]
    Sensitive,
    /// They are, unless the pattern has an upper case letter.
    Smart,
    /// They are.
    Insensitive,
}

/// A question of what stands in files, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchQuery {
    /// A regular expression, as `rg` takes it; it matches within one line.
    pub pattern: String,
    /// True if the pattern is plain text instead.
    pub fixed: bool,
    /// The treatment of case.
    pub case: CaseMode,
    /// True if a match must begin and end at a word's border.
    pub word: bool,
    /// The files. The limit in it has no effect.
    pub scope: ListQuery,
    /// Lines to show before and after a match; see [`FileMatches::spans`].
    pub context: u32,
    /// The number of matching lines to name in all, in the order of paths and lines; the rest is counted.
    pub max_matches: u32,
    /// The number to name of each file; `None` for as many as there are.
    pub max_matches_per_file: Option<u32>,
    /// True if no more is asked than which files have a match: of each, only the first line is found, and counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
}

impl Default for SearchQuery {
    /// An empty pattern, everywhere, 1,000 matches.
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

/// The things that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// The files with matches, in the order of their paths, as far as the limits go.
    pub files: Vec<FileMatches>,
    /// The number of lines that match, without the limits.
    pub total_matches: u64,
    /// The number of files that have a match, without the limits.
    pub files_with_matches: u32,
    /// The number of files that were looked at.
    pub files_searched: u32,
    /// The number of those that have a NUL byte and were not searched further.
    pub binary_files: u32,
    /// True if a limit left matches out.
    pub truncated: bool,
    /// Files that were found and not looked into.
    pub withheld: Withheld,
    /// The number of files and folders that were looked at for it, also those that were not searched.
    #[serde(skip)]
    pub entries: u64,
    /// The number of bytes that were searched.
    #[serde(skip)]
    pub bytes: u64,
}

/// The matches in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileMatches {
    /// The file.
    pub path: RepoPath,
    /// The lines that match, as far as the limits go.
    pub lines: Vec<LineMatch>,
    /// The number of lines that match, without the limits.
    pub total: u32,
    /// The lines to show: each match with the context asked for, joined where they touch.
    pub spans: Vec<LineSpan>,
}

/// A line that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LineMatch {
    /// From 1.
    pub line: u32,
    /// The column where the first match in it begins: from 1, in bytes; a byte order mark does not count.
    pub column: u32,
}

/// The reason why a search was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The pattern has no meaning.
    #[error(
        "the pattern is not a regular expression: {message}; to find it as it is written, search for plain text"
    )]
    Pattern {
        /// What is wrong, with a mark at the place.
        message: String,
    },
    /// The files cannot be listed.
    #[error(transparent)]
    List(#[from] ListError),
}

impl SearchError {
    /// The message in one line, without the mark at the place.
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

    /// The same error, of which no message has a second line.
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

/// What is wrong with a pattern, without the mark at the place.
fn why(message: &str) -> &str {
    let last = message.lines().last().unwrap_or(message);
    last.strip_prefix("error: ").unwrap_or(last)
}

/// The lines with `context` around each, joined where they touch, within a file of `line_count` lines.
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
    fn context_is_joined_and_stays_in_the_file() {
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
