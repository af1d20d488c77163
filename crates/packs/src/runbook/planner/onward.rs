//! Determines where the next page starts, and the call for it.

use windlass_base::NextAction;

use super::Planner;
use crate::paging::Seen;
use crate::runbook::entry_drafts::Draft;
use crate::runbook::entry_view::EntryView;
use crate::runbook::runbook_view::View;
use crate::runbook::weights::Filled;
use crate::{Cursor, PackSection};

impl<'a> Planner<'_, 'a> {
    /// Returns the position of the next page, or `None` if everything has been shown.
    pub(super) fn next_place(
        &self,
        draft: &Draft<'a>,
        filled: &Filled,
        entries: &[EntryView<'a>],
    ) -> Option<Cursor> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        if let Some(from) = self.options.from.filter(|_| entries.is_empty()) {
            return (!draft.entries.is_empty()).then_some(from);
        }
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

    /// Returns the call that continues at `cursor`, or `None` if the pack isn't stored.
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
        // Formats for people show this call next to each cut section instead.
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

    /// Returns the position of content that no other call in `view` leads to: an omitted section,
    /// or a cut one without a call. On a page that goes through all sections, it may also be the
    /// next section.
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

/// Returns true if a page could show something of a section, be it entries or the reason why there
/// are none.
fn is_worth_a_page(section: &PackSection) -> bool {
    !section.entries.is_empty() || section.reason.is_some()
}
