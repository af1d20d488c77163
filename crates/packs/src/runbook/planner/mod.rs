//! Decides which parts of a pack fit into a view.
//!
//! The size of a view is not just the sum of its parts: omitting an entry adds a count and a call,
//! for example. So the planner measures the parts, divides the room among them, prints the view,
//! and tries again with less room if it is too large.

mod around;
mod onward;
mod shown_entries;
mod weigh;

use windlass_base::Entry;

use self::shown_entries::{block_view, everything, part_view};
use crate::printing::Format;
use crate::runbook::entry_drafts::{Candidate, Draft, pieces};
use crate::runbook::entry_view::EntryView;
use crate::runbook::render::render;
use crate::runbook::runbook_view::Fitting;
use crate::runbook::runbook_view::{Says, SectionView, View, ViewOptions};
use crate::runbook::weights::{Filled, Weights, share};
use crate::{Cursor, Measure, Pack};

/// Maximum share of the room for purpose, notes and next actions, as a divisor. They would displace
/// the entries otherwise, which are what the caller wants.
const MAX_EXTRA: usize = 4;

/// Assumed maximum ratio of the size of JSON to that of TRON.
const LIGHTER: usize = 3;

/// Number of attempts to find a view that shows more. Each of them halves the range, so the
/// result is within a few percent of the best one.
const TRIES: usize = 6;

/// The amount shown of each section, along with the printed view and its size.
type Found<'a> = (Vec<Filled>, Fitting<'a>, usize);

pub(crate) struct Planner<'p, 'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) options: &'p ViewOptions,
    pub(crate) says: Says,
    pub(crate) drafts: &'p [Draft<'a>],
    /// Minimum budget in the calls for further pages.
    pub(crate) page: usize,
}

impl<'a> Planner<'_, 'a> {
    fn max(&self) -> usize {
        self.options.limit.max()
    }

    fn weigh(&self, view: &View<'a>) -> (usize, crate::Styled) {
        let printed = render(view, self.options.format);
        (
            Measure::of(self.options.limit).weigh(&printed.plain()),
            printed,
        )
    }

    fn nothing(&self) -> Vec<Filled> {
        vec![Filled::default(); self.drafts.len()]
    }

    pub(crate) fn skeleton(&self) -> usize {
        self.weigh(&self.assemble(&self.nothing())).0
    }

    /// A page that only shows the first line of its first entry, and its size. No page can be
    /// smaller.
    pub(crate) fn first_entry(&self) -> (usize, Fitting<'a>) {
        let first = |draft: &Draft<'a>| -> Filled {
            let shown = |candidate: &Candidate<'a>| match candidate.entry {
                Entry::Observation(_) => vec![0],
                Entry::Item(_) => {
                    let first = candidate.blocks.iter().position(|block| block.units() > 0);
                    let lines = |at: usize| usize::from(self.says.text && Some(at) == first);
                    (0..candidate.blocks.len()).map(lines).collect()
                }
            };
            Filled {
                entries: draft.entries.iter().take(1).map(shown).collect(),
                ..Filled::default()
            }
        };
        let view = self.assemble(&self.drafts.iter().map(first).collect::<Vec<_>>());
        let (taken, printed) = self.weigh(&view);
        (taken, (view, printed))
    }

    /// True if the page's call would lead to the same page again, even though there is more to
    /// show.
    fn makes_no_progress(&self, view: &View<'a>) -> bool {
        let Some(from) = self.options.from else {
            return false;
        };
        view.sections
            .iter()
            .any(|section| section.next_cursor == Some(from))
    }

    /// Finds the view that shows the most at this level of detail.
    ///
    /// `floor` is the size of the poorest view without entries. The share of the extras is measured
    /// from there.
    pub(crate) fn fit(&self, floor: usize) -> Option<Fitting<'a>> {
        let everything: Vec<Filled> = self
            .drafts
            .iter()
            .map(|draft| everything(draft, self.says.text, self.options.from.is_some()))
            .collect();
        let whole = self.assemble(&everything);
        let (taken, printed) = self.weigh(&whole);
        if taken <= self.max() {
            return Some(self.with_context(everything, (whole, printed), taken));
        }
        let skeleton = self.skeleton();
        let extra = skeleton.saturating_sub(floor);
        // The extras take up too much. The caller will try again at a level with fewer of them.
        if extra > self.max().saturating_sub(floor) / MAX_EXTRA {
            return None;
        }
        let weights: Vec<Weights> = self
            .drafts
            .iter()
            .map(|draft| self.weights(draft))
            .collect();
        // The whole view can be slightly larger than the sum of its parts. If it doesn't fit, we
        // share less room.
        let mut room = self.max().saturating_sub(skeleton);
        for _ in 0..8 {
            let filled = share(&weights, room);
            let view = self.assemble(&filled);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() && !self.makes_no_progress(&view) {
                let found = (filled, (view, printed), taken);
                let (filled, fitting, taken) = self.fuller(&weights, room, found);
                return Some(self.with_context(filled, fitting, taken));
            }
            room = room.saturating_sub(taken.saturating_sub(self.max()) * 2);
        }
        let (taken, (view, printed)) = if self.options.from.is_some() {
            self.first_entry()
        } else {
            let view = self.assemble(&self.nothing());
            let (taken, printed) = self.weigh(&view);
            (taken, (view, printed))
        };
        (taken <= self.max()).then_some((view, printed))
    }

    /// Looks for a view that shows more. Parts are measured as JSON and take less room in TRON, so
    /// we try up to [`LIGHTER`] times the room.
    fn fuller(&self, weights: &[Weights], room: usize, found: Found<'a>) -> Found<'a> {
        if self.options.format != Format::Tron {
            return found;
        }
        let (mut best, mut low, mut high) = (found, room, room.saturating_mul(LIGHTER));
        for _ in 0..TRIES {
            let middle = low + (high - low) / 2;
            let filled = share(weights, middle);
            let view = self.assemble(&filled);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() && !self.makes_no_progress(&view) {
                best = (filled, (view, printed), taken);
                low = middle;
            } else {
                high = middle;
            }
        }
        best
    }

    /// A view without entries that lists as many sections as fit, but at least one. The error is
    /// the size of the smallest such view.
    pub(crate) fn fit_some_sections(&self) -> Result<Fitting<'a>, usize> {
        let mut least = self.skeleton();
        for count in (1..=self.drafts.len()).rev() {
            let view = self.assemble(&self.nothing()[..count]);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() {
                return Ok((view, printed));
            }
            least = least.min(taken);
        }
        Err(least)
    }

    /// Puts a view together. Sections that `filled` does not cover are left out.
    fn assemble(&self, filled: &[Filled]) -> View<'a> {
        let sections = self
            .drafts
            .iter()
            .zip(filled)
            .map(|(draft, filled)| self.section(draft, filled));
        let mut view = View {
            pack: self.pack,
            sections: sections.collect(),
            sections_left_out: self.drafts.len() - filled.len(),
            next_actions: Vec::new(),
            limit: self.options.limit,
            says: self.says,
        };
        view.next_actions = self.next_actions(&view);
        view
    }

    fn section(&self, draft: &Draft<'a>, filled: &Filled) -> SectionView<'a> {
        let shown = draft.entries.iter().zip(&filled.entries);
        let mut around = filled.around;
        let entries: Vec<EntryView<'a>> = shown
            .map(|(candidate, lines)| {
                let entry = self.entry_view(candidate, lines, around);
                around = around.saturating_sub(pieces(candidate.entry));
                entry
            })
            .collect();
        let next = self.next_place(draft, filled, &entries);
        let begun = draft
            .entries
            .get(entries.len().wrapping_sub(1))
            .map(|last| last.at + 1);
        let seen = self
            .options
            .from
            .map_or(0, |from| from.seen.entries.max(from.offset));
        let begun = begun.unwrap_or(0).max(seen as usize);
        SectionView {
            section: draft.section,
            entries,
            left_out: match next {
                Some(Cursor { rest: true, .. }) => 0,
                _ => draft.section.entries.len().saturating_sub(begun),
            },
            go_on: next.and_then(|cursor| {
                self.go_on(format!("see more of `{}`", draft.section.id), cursor)
            }),
            next_cursor: next,
        }
    }

    /// Shows the first `units` of each block. The first `around` blocks also get the lines around
    /// them.
    fn entry_view(
        &self,
        candidate: &Candidate<'a>,
        units: &[usize],
        around: usize,
    ) -> EntryView<'a> {
        EntryView {
            entry: candidate.entry,
            // The rest of a long line comes on a page after the entry itself. The fields have been
            // shown with the entry, so leave them out.
            fields: self.says.text && !self.options.from.is_some_and(|from| from.rest),
            blocks: candidate
                .blocks
                .iter()
                .zip(units)
                .enumerate()
                .map(|(at, (block, units))| block_view(block, *units, at < around))
                .collect(),
            part: part_view(candidate, units.first().copied().unwrap_or(0)),
        }
    }
}
