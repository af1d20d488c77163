//! Determines the start of the next page, and the call for it.
//!
//! A cursor from the first view has to say how much of each entry was shown, because the view shows
//! some lines of many entries. On pages, entries are shown one after another, so it is enough to
//! know the entry and the number of lines.

use windlass_base::NextAction;

use super::Planner;
use crate::paging::Seen;
use crate::runbook::entry_drafts::Draft;
use crate::runbook::entry_view::EntryView;
use crate::runbook::runbook_view::View;
use crate::runbook::weights::Filled;
use crate::{Cursor, PackSection};

impl<'a> Planner<'_, 'a> {
    /// The start of the next page. Returns `None` if everything has been shown.
    pub(super) fn next_place(
        &self,
        draft: &Draft<'a>,
        filled: &Filled,
        entries: &[EntryView<'a>],
    ) -> Option<Cursor> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        // Nothing fits, so the same page is tried again. The caller has to prevent a loop, see
        // `makes_no_progress`.
        if let Some(from) = self.options.from.filter(|_| entries.is_empty()) {
            return (!draft.entries.is_empty()).then_some(from);
        }
        // Continue at the first entry that isn't complete, even if later ones are. The cursor
        // remembers what was shown of those.
        let cut = entries.iter().position(EntryView::is_cut);
        let next = match cut {
            Some(cut) => draft.entries[cut].at,
            None => draft
                .entries
                .get(entries.len())
                .map_or(draft.end, |next| next.at),
        };
        let is_end = next >= draft.section.entries.len();
        let next = if is_end { draft.rest? } else { next };
        let section = u16::try_from(draft.at).ok()?;
        let mut cursor = Cursor::new(&self.pack.key, section, u32::try_from(next).ok()?);
        cursor.onward = self.options.from.is_some_and(|from| from.onward);
        cursor.rest = is_end || self.options.from.is_some_and(|from| from.rest);
        if is_end {
            return Some(cursor);
        }
        match (&self.options.from, cut) {
            (None, None) => {}
            (None, Some(_)) => {
                cursor.seen = Seen {
                    entries: number(entries.len()),
                    lines: number(filled.level.0),
                    more: number(filled.level.1),
                    around: number(filled.around),
                };
            }
            (Some(from), cut) => {
                if cursor.offset < from.seen.entries {
                    cursor.seen = from.seen;
                }
                if let Some(cut) = cut {
                    let before = if cursor.offset == from.offset {
                        from.line
                    } else {
                        0
                    };
                    cursor.line =
                        before.saturating_add(number(entries[cut].shown(&draft.entries[cut])));
                }
            }
        }
        Some(cursor)
    }

    /// The call that continues at `cursor`. If the pack is not stored, there is nothing to
    /// continue.
    pub(super) fn go_on(&self, reason: impl Into<String>, cursor: Cursor) -> Option<NextAction> {
        let calls = &self.pack.calls;
        let call = || self.options.go_on(reason, cursor, self.page);
        let called = || call().for_caller(calls.caller.as_ref());
        calls.kept.then(called).flatten()
    }

    pub(super) fn next_actions(&self, view: &View<'a>) -> Vec<NextAction> {
        let caller = self.pack.calls.caller.as_ref();
        let named = |action: &NextAction| action.clone().for_caller(caller);
        let own = self.pack.next_actions.iter();
        let mut actions: Vec<NextAction> = own.filter_map(named).collect();
        // In formats for people, this call is next to each section that was cut.
        if self.options.format.is_data() {
            actions.extend(
                view.sections
                    .iter()
                    .find_map(|section| section.more(self.says).cloned()),
            );
        }
        actions.truncate(self.says.next_actions);
        let rest = self.rest(view).filter(|_| self.says.rest);
        actions.extend(rest.and_then(|cursor| self.go_on("see the rest", cursor)));
        actions
    }

    /// Finds something to show that no other call leads to: an omitted section, a cut section
    /// without a call, or the next section if the pages go through all of them.
    fn rest(&self, view: &View<'a>) -> Option<Cursor> {
        let named = self.says.next_actions > 0 || self.options.format.is_data();
        let mut cut = view.sections.iter().map(|section| section.next_cursor);
        let start = |at: usize| Some(Cursor::new(&self.pack.key, u16::try_from(at).ok()?, 0));
        if let Some(from) = self.options.from {
            return match cut.next().flatten() {
                Some(here) => (!named).then_some(here),
                None => {
                    let mut after =
                        (0..self.pack.sections.len()).skip(usize::from(from.section) + 1);
                    let next = after.find(|at| is_worth_a_page(&self.pack.sections[*at]));
                    next.filter(|_| from.onward)
                        .and_then(start)
                        .map(Cursor::onward)
                }
            };
        }
        if named && view.sections_left_out == 0 {
            return None;
        }
        let left_out = self.drafts[view.sections.len()..].iter();
        let mut left_out = left_out.filter(|draft| is_worth_a_page(draft.section));
        let cut = if named {
            None
        } else {
            cut.find_map(|cursor| cursor)
        };
        cut.or_else(|| start(left_out.next()?.at))
            .map(Cursor::onward)
    }
}

/// True if a section's page has anything to show, either entries or the reason for their absence.
fn is_worth_a_page(section: &PackSection) -> bool {
    !section.entries.is_empty() || section.reason.is_some()
}
