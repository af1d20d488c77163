use windlass_base::{Limit, NextAction, ResponseMode};

use crate::printing::Format;
use crate::runbook::entry_view::EntryView;
use crate::{Cursor, Pack, PackSection, TextPolicy};
use windlass_site::{ErrorKind, Explain};

/// Options that decide the content and size of a view.
#[derive(Debug, Clone, Copy)]
pub struct ViewOptions {
    /// Maximum size of the output.
    pub limit: Limit,
    /// Format of the output.
    pub format: Format,
    /// Level of detail.
    pub mode: ResponseMode,
    /// Evidence whose text may be shown.
    pub text: TextPolicy,
    /// Share of the limit for lines around evidence, in thousandths.
    pub noise_permille: u32,
    /// Position at which a page starts, or `None` for the first view. A page shows only the section
    /// at this position.
    pub from: Option<Cursor>,
    /// Options requested explicitly by the caller.
    pub asked: Asked,
}

/// Options the caller requested explicitly, apart from the format. Calls for further pages repeat
/// them. The other options are stored with the pack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// True if the caller set the limit.
    pub limit: bool,
    /// True if the caller set the level of detail.
    pub mode: bool,
}

impl ViewOptions {
    /// Returns the call that continues at `cursor` with the same options and a limit of at least
    /// `least`.
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
            // These calls are made in a terminal, so they use the default format.
            Format::Text { .. } | Format::Html => call,
            Format::Markdown => call.option("format", "markdown"),
            Format::Json => call.option("format", "json"),
            Format::Tron => call.option("format", "tron"),
        }
    }
}

/// Reason why no view is possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// The limit is too small for the sections' statuses, or for the first entry of a page.
    #[error("a budget of {given} is too small: it takes at least {least}")]
    TooSmall {
        /// The given limit.
        given: usize,
        /// The smallest sufficient limit, in the same unit.
        least: usize,
    },
    /// The cursor points past the end of the pack.
    #[error("the cursor points past the end of the pack")]
    PastTheEnd,
}

/// The shown part of a pack.
#[derive(Debug, Clone)]
pub struct View<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) sections: Vec<SectionView<'a>>,
    /// Number of sections omitted completely.
    pub(crate) sections_left_out: usize,
    pub(crate) next_actions: Vec<NextAction>,
    pub(crate) limit: Limit,
    pub(crate) says: Says,
}

/// Extras of a view, on top of its sections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    pub(crate) purpose: bool,
    /// True if notes about the whole pack are shown.
    pub(crate) warnings: bool,
    /// True if notes about sections are shown.
    pub(crate) notes: bool,
    pub(crate) text: bool,
    pub(crate) next_actions: usize,
    /// True if a call is shown for content that no other call leads to.
    pub(crate) rest: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct SectionView<'a> {
    pub(crate) section: &'a PackSection,
    pub(crate) entries: Vec<EntryView<'a>>,
    /// Number of entries omitted at the end.
    pub(crate) left_out: usize,
    pub(crate) next_cursor: Option<Cursor>,
    /// The call for the page at `next_cursor`.
    pub(crate) go_on: Option<NextAction>,
}

impl SectionView<'_> {
    /// Returns the call for the omitted entries, or `None` if the view shows no next actions.
    pub(crate) fn more(&self, says: Says) -> Option<&NextAction> {
        self.go_on.as_ref().filter(|_| says.next_actions > 0)
    }

    /// Returns the number of omitted entries that no call leads to. Returns `None` if there is a
    /// call, or if the view shows no next actions.
    pub(crate) fn lost(&self, says: Says) -> Option<usize> {
        let lost = self.next_cursor.is_some() && self.go_on.is_none();
        (lost && says.next_actions > 0).then_some(self.left_out)
    }
}

/// A view and its printed form.
pub(crate) type Fitting<'a> = (View<'a>, crate::Styled);

impl View<'_> {
    /// Returns the cursors in the view's calls.
    pub(crate) fn cursors(&self) -> impl Iterator<Item = Cursor> {
        let sections = self
            .sections
            .iter()
            .filter_map(|section| section.go_on.as_ref());
        let calls = sections.chain(&self.next_actions);
        calls.filter_map(|call| call.args.get("cursor")?.as_str()?.parse().ok())
    }

    /// Returns true if the budget caused an omission. Reaching the limit on entries alone doesn't
    /// count.
    pub(crate) fn is_cut(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|view| {
                let asked = view.section.limit.min(view.section.entries.len());
                // A page starts after the entries of earlier pages, so it can show fewer entries
                // without omitting any.
                let lacks_entries = view.next_cursor.is_some() && view.entries.len() < asked;
                lacks_entries || view.entries.iter().any(EntryView::is_cut)
            })
    }

    /// Returns true if anything was omitted.
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
