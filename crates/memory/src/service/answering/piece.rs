//! Text that may be loaded.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{LineSpan, Pointer};
use windlass_repo::SourceFile;

use super::recollection::{Loaded, LoadedField};
use super::source_lines::pointer;
use crate::{Query, best_window, matched_by_line};

/// Begins why something is loaded that is not sure.
pub(super) const MAY_BE_MEANT: &str = "may be meant";
/// Within so many words of a line what is asked for stands together.
const NEAR: usize = 12;

/// Text that may be loaded, if there is room.
pub(super) struct Piece {
    pub(super) pointer: Pointer,
    pub(super) title: Option<String>,
    pub(super) why: String,
    /// What became of the anchor it is of.
    pub(super) state: Option<String>,
    pub(super) lines: Vec<String>,
    /// Fields of its record that were asked for.
    pub(super) fields: Vec<LoadedField>,
    /// How many words of the question stand in each line; nothing where that does not matter.
    pub(super) matched: Vec<usize>,
    /// At which byte of each line the first of them begins.
    pub(super) first: Vec<usize>,
    pub(super) is_summary: bool,
    /// Whether more stands before it that belongs to it.
    pub(super) begins_within: bool,
    /// Whether more stands behind it that belongs to it.
    pub(super) goes_on: bool,
    /// Parts of it, for where there is no room for all of it; those first that matter most.
    pub(super) narrow: Vec<Piece>,
    /// The file, to say which lines are left when some are cut.
    pub(super) source: Option<Arc<SourceFile>>,
}

impl Piece {
    /// All of `lines`, which stand at `pointer`.
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

    /// Tells which of its lines have something of the question, those of its parts included.
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

    /// How many words of the question stand in the line that has most of them.
    pub(super) fn most_matched(&self) -> usize {
        self.matched.iter().copied().max().unwrap_or_default()
    }

    /// The `most` of its lines that are worth most.
    pub(super) fn window(&self, most: usize) -> Range<usize> {
        match self.matched.len() == self.lines.len() {
            true => best_window(&self.matched, most),
            false => 0..most.min(self.lines.len()),
        }
    }

    /// These lines of it, as they are shown.
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

/// The byte of `line` at which the words begin that have most of what is asked for, so many in a row; 0 where none has.
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
