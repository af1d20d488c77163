use windlass_base::{Entry, Evidence, Item, Limit, NextAction, Observation, ResponseMode};

use crate::printing::Format;
use crate::runbook::excerpt::TextLine;
use crate::runbook::parts::Extent;
use crate::{Cursor, Pack, PackSection, TextPolicy};
use windlass_site::{ErrorKind, Explain};

/// What a view shows, and within which limit.
#[derive(Debug, Clone, Copy)]
pub struct ViewOptions {
    /// How much may be printed.
    pub limit: Limit,
    /// How it is printed.
    pub format: Format,
    /// How much the pack says about itself.
    pub mode: ResponseMode,
    /// Which text may be shown.
    pub text: TextPolicy,
    /// Thousandths of the limit that may be context beyond the evidence itself.
    pub noise_permille: u32,
    /// Show one section only, from an entry on.
    pub from: Option<Cursor>,
    /// What of this the caller asked for.
    pub asked: Asked,
}

/// What of a view its caller asked for, beside the format: a call that goes on asks for it again. The rest is
/// kept with the pack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// The limit.
    pub limit: bool,
    /// The mode.
    pub mode: bool,
}

impl ViewOptions {
    /// The call that goes on at `cursor`, in the same way; within no less than `least`.
    pub(crate) fn go_on(
        &self,
        reason: impl Into<String>,
        cursor: Cursor,
        least: usize,
    ) -> NextAction {
        let mut call = NextAction::new("run", reason).option("cursor", cursor.to_string());
        if self.asked.limit || least > self.limit.max() {
            call = call.limited(self.limit.with_max(least.max(self.limit.max())));
        }
        if self.asked.mode {
            call = call.option("response_mode", self.mode.as_str());
        }
        match self.format {
            Format::Text { .. } => call,
            Format::Markdown => call.option("format", "markdown"),
            Format::Json => call.option("format", "json"),
            Format::Tron => call.option("format", "tron"),
        }
    }
}

/// Nothing sensible can be said within the limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Not even the statuses fit; on a page, not even its first entry.
    #[error("a budget of {given} is too small: it takes at least {least}")]
    TooSmall {
        /// The limit.
        given: usize,
        /// A limit that is large enough.
        least: usize,
    },
    /// The cursor points past the pack.
    #[error("the cursor points past the end of the pack")]
    PastTheEnd,
}

/// What of a pack is shown.
#[derive(Debug, Clone)]
pub struct View<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) sections: Vec<SectionView<'a>>,
    /// Sections that are not even named, for want of room.
    pub(crate) sections_left_out: usize,
    pub(crate) next_actions: Vec<NextAction>,
    pub(crate) limit: Limit,
    pub(crate) says: Says,
}

/// What a view says beside its sections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    pub(crate) purpose: bool,
    /// What a person should know of the pack as a whole.
    pub(crate) warnings: bool,
    /// What a person should know of its sections.
    pub(crate) notes: bool,
    pub(crate) text: bool,
    pub(crate) next_actions: usize,
    /// How to go on with what no other call leads to.
    pub(crate) rest: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct SectionView<'a> {
    pub(crate) section: &'a PackSection,
    pub(crate) entries: Vec<EntryView<'a>>,
    /// How many entries come after them.
    pub(crate) left_out: usize,
    pub(crate) next_cursor: Option<Cursor>,
    /// The call that goes on there.
    pub(crate) go_on: Option<NextAction>,
}

impl SectionView<'_> {
    /// The call that shows the entries that are left out, where a view says such things.
    pub(crate) fn more(&self, says: Says) -> Option<&NextAction> {
        self.go_on.as_ref().filter(|_| says.next_actions > 0)
    }

    /// How many entries are left out that no call leads to, where a view says such things.
    pub(crate) fn lost(&self, says: Says) -> Option<usize> {
        let lost = self.next_cursor.is_some() && self.go_on.is_none();
        (lost && says.next_actions > 0).then_some(self.left_out)
    }
}

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

/// What is shown of a pack, and that as it is printed.
pub(crate) type Fitting<'a> = (View<'a>, crate::Styled);

impl View<'_> {
    /// Where the calls in it go on.
    pub(crate) fn cursors(&self) -> impl Iterator<Item = Cursor> {
        let sections = self
            .sections
            .iter()
            .filter_map(|section| section.go_on.as_ref());
        let calls = sections.chain(&self.next_actions);
        calls.filter_map(|call| call.args.get("cursor")?.as_str()?.parse().ok())
    }

    /// Whether the budget, and not only the number of entries asked for at once, left something out.
    pub(crate) fn is_cut(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|view| {
                let asked = view.section.limit.min(view.section.entries.len());
                view.entries.len() < asked || view.entries.iter().any(EntryView::is_cut)
            })
    }

    /// Whether something was left out, for whatever reason.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|section| {
                section.next_cursor.is_some() || section.entries.iter().any(EntryView::is_cut)
            })
    }
}

impl Explain for ViewError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::TooSmall { least, .. } => Some(format!("raise the budget to {least} or more")),
            Self::PastTheEnd => None,
        }
    }
}
