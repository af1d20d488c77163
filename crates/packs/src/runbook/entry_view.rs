//! Entries as a view shows them: what of each stands on the page, and what is left out.

use windlass_base::{Entry, Evidence, Item, Observation};

use crate::runbook::value_parts::Extent;
use crate::runbook::verified_lines::TextLine;

/// An entry that is shown.
#[derive(Debug, Clone)]
pub(crate) struct EntryView<'a> {
    pub(crate) entry: &'a Entry,
    /// Whether the fields of an item are shown.
    pub(crate) fields: bool,
    pub(crate) blocks: Vec<BlockView>,
    /// The part that is shown of an observation, where it is not shown whole.
    pub(crate) part: Option<PartView>,
}

/// A part of an observation.
#[derive(Debug, Clone)]
pub(crate) struct PartView {
    /// The observation with that part of its value alone.
    pub(crate) observation: Observation,
    /// What is left out after it, or inside it.
    pub(crate) left_out: Extent,
    /// Before which of its lines that is, as it is printed for people; none where it is after it.
    pub(crate) gap_at: Option<usize>,
}

/// The lines shown of one piece of evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockView {
    pub(crate) before: Vec<TextLine>,
    pub(crate) lines: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    pub(crate) lines_cut: u32,
    /// How many lines around the evidence are left out for want of room, and follow on the next page.
    pub(crate) context_cut: u32,
    /// How many lines of the evidence were on pages before.
    pub(crate) skipped: usize,
    /// Pieces of its long lines, on a page after its lines.
    pub(crate) pieces: Vec<TextLine>,
    /// How many pieces follow on the next page.
    pub(crate) pieces_cut: u32,
}

impl BlockView {
    /// How much of a block is shown: its lines or pieces, and what stands around them as one.
    pub(crate) fn units(&self) -> usize {
        let around = !self.before.is_empty() || !self.after.is_empty();
        self.lines.len() + self.pieces.len() + usize::from(around)
    }
}

impl EntryView<'_> {
    /// The item, if its fields are shown.
    pub(crate) fn item_with_fields(&self) -> Option<&Item> {
        match self.entry {
            Entry::Item(item) if self.fields => Some(item),
            _ => None,
        }
    }

    /// The one line of an entry that is nothing but that line: a match of a search.
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
            [line] if nameless && alone => Some((evidence, line)),
            _ => None,
        }
    }
}

impl EntryView<'_> {
    /// Whether some of it is left out here.
    pub(crate) fn is_cut(&self) -> bool {
        let part = self.part.as_ref();
        part.is_some_and(|part| part.observation.parts_cut > 0)
            || self
                .blocks
                .iter()
                .any(|block| block.lines_cut > 0 || block.context_cut > 0 || block.pieces_cut > 0)
    }
}
