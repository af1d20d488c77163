use windlass_base::{Limit, NextAction, ResponseMode};

use crate::printing::Format;
use crate::runbook::entry_view::EntryView;
use crate::{Cursor, Pack, PackSection, TextPolicy};
use windlass_site::{ErrorKind, Explain};

/// Decides what a view shows, and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct ViewOptions {
    /// In characters or tokens.
    pub limit: Limit,
    /// The format to measure and print in.
    pub format: Format,
    /// The level of detail.
    pub mode: ResponseMode,
    /// Unmoved evidence only, or moved evidence as well.
    pub text: TextPolicy,
    /// The share of the limit for lines around evidence, in thousandths.
    pub noise_permille: u32,
    /// The start of a page, or `None` for the first view. A page only shows the section that this
    /// is in.
    pub from: Option<Cursor>,
    /// Options that the caller set explicitly.
    pub asked: Asked,
}

/// Options that the caller set explicitly, apart from the format. Calls for further pages repeat
/// it. The rest we store with the pack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// True if the caller set the limit.
    pub limit: bool,
    /// True if the caller set the level of detail.
    pub mode: bool,
}

impl ViewOptions {
    /// The call that continues at `cursor` with the same options. Its limit is at least `least`.
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
            // These calls are made in a terminal, which gets the default format.
            Format::Text { .. } | Format::Html => call,
            Format::Markdown => call.option("format", "markdown"),
            Format::Json => call.option("format", "json"),
            Format::Tron => call.option("format", "tron"),
        }
    }
}

/// Explains why there's no view to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// There isn't enough room for the sections' statuses, or for the first entry of a page.
    #[error("a budget of {given} is too small: it takes at least {least}")]
    TooSmall {
        /// The limit that we were given.
        given: usize,
        /// The smallest limit that's enough, in the same unit.
        least: usize,
    },
    /// There's nothing at the cursor anymore.
    #[error("the cursor points past the end of the pack")]
    PastTheEnd,
}

/// The part of a pack that's shown.
#[derive(Debug, Clone)]
pub struct View<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) sections: Vec<SectionView<'a>>,
    pub(crate) sections_left_out: usize,
    pub(crate) next_actions: Vec<NextAction>,
    pub(crate) limit: Limit,
    pub(crate) says: Says,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    pub(crate) purpose: bool,
    pub(crate) warnings: bool,
    pub(crate) notes: bool,
    pub(crate) text: bool,
    pub(crate) next_actions: usize,
    /// True to show a call for what no other call leads to.
    pub(crate) rest: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct SectionView<'a> {
    pub(crate) section: &'a PackSection,
    pub(crate) entries: Vec<EntryView<'a>>,
    pub(crate) left_out: usize,
    pub(crate) next_cursor: Option<Cursor>,
    pub(crate) go_on: Option<NextAction>,
}

impl SectionView<'_> {
    /// The call for what's missing, if the view shows next actions.
    pub(crate) fn more(&self, says: Says) -> Option<&NextAction> {
        self.go_on.as_ref().filter(|_| says.next_actions > 0)
    }

    /// The number of missing entries that no call leads to. `None` if there's a call, or if the
    /// view shows no next actions.
    pub(crate) fn lost(&self, says: Says) -> Option<usize> {
        let lost = self.next_cursor.is_some() && self.go_on.is_none();
        (lost && says.next_actions > 0).then_some(self.left_out)
    }
}

/// A view, and what it looks like when printed.
pub(crate) type Fitting<'a> = (View<'a>, crate::Styled);

impl View<'_> {
    /// The cursors in all of the view's calls.
    pub(crate) fn cursors(&self) -> impl Iterator<Item = Cursor> {
        let sections = self
            .sections
            .iter()
            .filter_map(|section| section.go_on.as_ref());
        let calls = sections.chain(&self.next_actions);
        calls.filter_map(|call| call.args.get("cursor")?.as_str()?.parse().ok())
    }

    /// True if the budget made us omit anything. If we just reached the maximum number of entries,
    /// that doesn't count. See [`is_truncated`](Self::is_truncated) for anything at all.
    pub(crate) fn is_cut(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|view| {
                let asked = view.section.limit.min(view.section.entries.len());
                // A page starts after the entries of earlier pages, so it may show fewer without
                // omitting any.
                let lacks_entries = view.next_cursor.is_some() && view.entries.len() < asked;
                lacks_entries || view.entries.iter().any(EntryView::is_cut)
            })
    }

    /// True if we omitted anything, for whatever reason.
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
