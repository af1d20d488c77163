//! The parts of entries that a view shows.

use windlass_base::{Entry, Evidence, Item, Observation};

use crate::runbook::value_parts::Extent;
use crate::runbook::verified_lines::TextLine;

#[derive(Debug, Clone)]
pub(crate) struct EntryView<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) fields: bool,
    pub(crate) blocks: Vec<BlockView>,
    /// The part of an observation that is shown. This is `None` if all of it is.
    pub(crate) part: Option<PartView>,
}

#[derive(Debug, Clone)]
pub(crate) struct PartView {
    pub(crate) observation: Observation,
    /// The amount that is omitted, either after the part or in the middle.
    pub(crate) left_out: Extent,
    /// Index of the printed line after the gap. This is `None` if the end is omitted.
    pub(crate) gap_at: Option<usize>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct BlockView {
    pub(crate) before: Vec<TextLine>,
    pub(crate) lines: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    pub(crate) lines_cut: u32,
    /// Number of lines around the evidence that are left for the next page.
    pub(crate) context_cut: u32,
    /// Number of lines that earlier pages have shown.
    pub(crate) skipped: usize,
    /// Pieces of long lines. They come on pages of their own, after all lines.
    pub(crate) pieces: Vec<TextLine>,
    /// Number of pieces that are left for the next page.
    pub(crate) pieces_cut: u32,
}

impl BlockView {
    pub(crate) fn is_diff(&self) -> bool {
        self.lines.first().is_some_and(|line| line.sign.is_some())
    }

    /// Counts the shown units. A line or a piece is one, and all lines around them together are
    /// one.
    pub(crate) fn units(&self) -> usize {
        let around = !self.before.is_empty() || !self.after.is_empty();
        self.lines.len() + self.pieces.len() + usize::from(around)
    }
}

impl EntryView<'_> {
    /// The item, provided that its fields are shown.
    pub(crate) fn item_with_fields(&self) -> Option<&Item> {
        match self.entry {
            Entry::Item(item) if self.fields => Some(item),
            _ => None,
        }
    }

    /// The only line of an entry, e.g. of a search match. Such an entry can be printed on a single
    /// line.
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
    pub(crate) fn is_cut(&self) -> bool {
        let part = self.part.as_ref();
        part.is_some_and(|part| part.observation.parts_cut > 0)
            || self
                .blocks
                .iter()
                .any(|block| block.lines_cut > 0 || block.context_cut > 0 || block.pieces_cut > 0)
    }
}
