use std::ops::Range;
use std::sync::Arc;

use windlass_base::{LineSpan, Pointer};
use windlass_repo::SourceFile;

use super::recollection::{Loaded, LoadedField};
use super::source_lines::pointer;
use crate::{Query, best_window, matched_by_line};

/// The reason for loading an uncertain match starts with these words.
pub(super) const MAY_BE_MEANT: &str = "may be meant";
/// To find the best part of a long line, we count the matches among this many words.
const NEAR: usize = 12;

/// A text that we load if the budget allows it.
pub(super) struct Piece {
    pub(super) pointer: Pointer,
    pub(super) title: Option<String>,
    pub(super) why: String,
    /// The state of the anchor, if the text is from one.
    pub(super) state: Option<String>,
    pub(super) lines: Vec<String>,
    /// The frontmatter fields that the query asks for.
    pub(super) fields: Vec<LoadedField>,
    /// The number of query words in each line. Empty until [`match_lines`](Self::match_lines) is
    /// called.
    pub(super) matched: Vec<usize>,
    /// For each line, the byte offset of the part with the most query words.
    pub(super) first: Vec<usize>,
    pub(super) is_summary: bool,
    /// True if there is more of the same text above.
    pub(super) begins_within: bool,
    /// True if there is more of the same text below.
    pub(super) goes_on: bool,
    /// Smaller parts of the text, best first. If there is no room for the whole piece, we load one
    /// of them.
    pub(super) narrow: Vec<Piece>,
    /// The file with the text. If we only load some of the lines, we need it for the hash in the
    /// pointer.
    pub(super) source: Option<Arc<SourceFile>>,
}

impl Piece {
    /// Creates a piece. It does not know about the query until [`match_lines`](Self::match_lines)
    /// is called.
    pub(super) fn of(
        pointer: Pointer,
        why: String,
        lines: Vec<String>,
        source: Option<Arc<SourceFile>>,
    ) -> Self {
        Self {
            pointer,
            title: None,
            why,
            state: None,
            lines,
            fields: Vec::new(),
            matched: Vec::new(),
            first: Vec::new(),
            is_summary: false,
            begins_within: false,
            goes_on: false,
            narrow: Vec::new(),
            source,
        }
    }

    /// Counts the query words in each line, including the lines of narrower parts.
    pub(super) fn match_lines(&mut self, query: &Query) {
        self.matched = matched_by_line(self.lines.iter().map(String::as_str), query);
        self.first = self
            .lines
            .iter()
            .map(|line| first_match(line, query))
            .collect();
        for part in &mut self.narrow {
            part.match_lines(query);
        }
    }

    pub(super) fn most_matched(&self) -> usize {
        self.matched.iter().copied().max().unwrap_or_default()
    }

    /// The range of the `most` consecutive lines with the most query words.
    pub(super) fn window(&self, most: usize) -> Range<usize> {
        match self.matched.len() == self.lines.len() {
            true => best_window(&self.matched, most),
            false => 0..most.min(self.lines.len()),
        }
    }

    /// Loads some of the lines. If that is not all of them, the pointer and the flags are adjusted.
    pub(super) fn loaded(&self, lines: Range<usize>) -> Loaded {
        let whole = lines.len() == self.lines.len();
        let number = |at: usize| self.pointer.span.start() + u32::try_from(at).unwrap_or(u32::MAX);
        let span = LineSpan::new(number(lines.start), number(lines.end.max(1) - 1)).ok();
        let left = span.and_then(|span| pointer(&self.pointer.file, self.source.as_ref()?, span));
        Loaded {
            pointer: left
                .filter(|_| !whole)
                .unwrap_or_else(|| self.pointer.clone()),
            title: self.title.clone(),
            why: self.why.clone(),
            state: self.state.clone(),
            fields: self.fields.clone(),
            text: self.lines[lines.clone()].join("\n"),
            begins_within: lines.start > 0 || self.begins_within,
            truncated: lines.end < self.lines.len() || self.goes_on,
        }
    }
}

/// The byte offset of the [`NEAR`] consecutive words with the most matches, or 0 if there is no
/// match.
fn first_match(line: &str, query: &Query) -> usize {
    let matched = matched_by_line(line.split(' ').map(str::trim), query);
    let near = |at: usize| {
        let end = (at + NEAR).min(matched.len());
        matched[at..end].iter().sum::<usize>()
    };
    let places = (0..matched.len()).filter(|at| matched[*at] > 0);
    let best = places.max_by_key(|at| (near(*at), std::cmp::Reverse(*at)));
    let before = line.split(' ').take(best.unwrap_or_default());
    before.map(|word| word.len() + 1).sum()
}
