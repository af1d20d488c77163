//! Entries of a view, split into their shown and omitted parts.

use windlass_base::{Entry, Evidence, Item, Observation};

use crate::runbook::value_parts::Extent;
use crate::runbook::verified_lines::TextLine;

/// An entry as a view shows it.
#[derive(Debug, Clone)]
pub(crate) struct EntryView<'a> {
    pub(crate) entry: &'a Entry,
    /// True if the item's fields are shown.
    pub(crate) fields: bool,
    pub(crate) blocks: Vec<BlockView>,
    /// The shown part of an observation, or `None` if all of it is shown.
    pub(crate) part: Option<PartView>,
}

/// A part of an observation.
#[derive(Debug, Clone)]
pub(crate) struct PartView {
    /// The observation, reduced to the shown part of its value.
    pub(crate) observation: Observation,
    /// Amount omitted, either after the shown part or in the middle of it.
    pub(crate) left_out: Extent,
    /// Index of the printed line that follows the omission, or `None` if the end is omitted.
    pub(crate) gap_at: Option<usize>,
}

/// The shown lines of a piece of evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockView {
    pub(crate) before: Vec<TextLine>,
    pub(crate) lines: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    pub(crate) lines_cut: u32,
    /// Number of surrounding lines left to the next page.
    pub(crate) context_cut: u32,
    /// Number of lines shown on earlier pages.
    pub(crate) skipped: usize,
    /// Pieces of long lines. They follow on pages of their own, after all lines.
    pub(crate) pieces: Vec<TextLine>,
    /// Number of pieces left to the next page.
    pub(crate) pieces_cut: u32,
}

impl BlockView {
    /// Returns true if the lines are a diff of edited evidence.
    pub(crate) fn is_diff(&self) -> bool {
        self.lines.first().is_some_and(|line| line.sign.is_some())
    }

    /// Returns the number of units shown. Each line or piece is a unit, and so are all surrounding
    /// lines together.
    pub(crate) fn units(&self) -> usize {
        let around = !self.before.is_empty() || !self.after.is_empty();
        self.lines.len() + self.pieces.len() + usize::from(around)
    }
}

impl EntryView<'_> {
    /// Returns the item if its fields are shown.
    pub(crate) fn item_with_fields(&self) -> Option<&Item> {
        match self.entry {
            Entry::Item(item) if self.fields => Some(item),
            _ => None,
        }
    }

    /// Returns the line of an entry consisting of a single one, such as a search match. Returns
    /// `None` for other entries.
    pub(crate) fn single_line(&self) -> Option<(&Evidence, &TextLine)> {
        let Entry::Item(item) = self.entry else {
            return None;
        };
        let nameless = item.label.is_empty() && item.id.is_none() && item.kind.is_none();
        let ([evidence], [block]) = (&item.evidence[..], &self.blocks[..]) else {
            return None;
        };
        let alone = block.skipped == 0
            && block.before.is_empty()
            && block.after.is_empty()
            && block.lines_cut == 0;
        match &block.lines[..] {
            [line] if nameless && alone && line.sign.is_none() => Some((evidence, line)),
            _ => None,
        }
    }
}

impl EntryView<'_> {
    /// Returns true if part of the entry is omitted.
    pub(crate) fn is_cut(&self) -> bool {
        let part = self.part.as_ref();
        part.is_some_and(|part| part.observation.parts_cut > 0)
            || self
                .blocks
                .iter()
                .any(|block| block.lines_cut > 0 || block.context_cut > 0 || block.pieces_cut > 0)
    }
}
