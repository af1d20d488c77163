use windlass_base::{Limit, NextAction, ResponseMode};

use crate::printing::Format;
use crate::runbook::entry_view::EntryView;
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
    pub(crate) fn is_truncated(&self) -> bool {
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
