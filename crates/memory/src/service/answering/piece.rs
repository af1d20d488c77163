//! A piece of text that a recall may load.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{LineSpan, Pointer};
use windlass_repo::SourceFile;

use super::recollection::{Loaded, LoadedField};
use super::source_lines::pointer;
use crate::{Query, best_window, matched_by_line};

/// Start of the reason for loading an uncertain match.
pub(super) const MAY_BE_MEANT: &str = "may be meant";
/// Number of consecutive words whose matches are counted together.
const NEAR: usize = 12;

/// A piece of text to load if the budget allows it.
pub(super) struct Piece {
    pub(super) pointer: Pointer,
    pub(super) title: Option<String>,
    pub(super) why: String,
    /// The anchor's state, if this text came from one.
    pub(super) state: Option<String>,
    pub(super) lines: Vec<String>,
    /// Frontmatter fields requested by the query.
    pub(super) fields: Vec<LoadedField>,
    /// Number of query words in each line. Empty if they weren't counted.
    pub(super) matched: Vec<usize>,
    /// Byte offset in each line at which the best matching words begin.
    pub(super) first: Vec<usize>,
    pub(super) is_summary: bool,
    /// True if related text precedes the piece.
    pub(super) begins_within: bool,
    /// True if related text follows the piece.
    pub(super) goes_on: bool,
    /// Smaller parts, best first. One of them is loaded if the whole piece doesn't fit.
    pub(super) narrow: Vec<Piece>,
    /// The file the text is from. A pointer to some of the lines needs it for the hash.
    pub(super) source: Option<Arc<SourceFile>>,
}

impl Piece {
    /// Creates a piece of all `lines` at `pointer`, without the details that depend on the query.
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

    /// Counts the query words in each line of the piece and of its narrower parts.
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

    /// Returns the highest number of query words in a line.
    pub(super) fn most_matched(&self) -> usize {
        self.matched.iter().copied().max().unwrap_or_default()
    }

    /// Returns the range of the best `most` consecutive lines.
    pub(super) fn window(&self, most: usize) -> Range<usize> {
        match self.matched.len() == self.lines.len() {
            true => best_window(&self.matched, most),
            false => 0..most.min(self.lines.len()),
        }
    }

    /// Converts the given lines to the form used in the answer.
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

/// Returns the byte offset in `line` of the [`NEAR`] consecutive words with the most matches, or 0
/// if no word matches.
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
