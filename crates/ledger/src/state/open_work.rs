//! Queries for the beads that can be worked on, and for what the others are waiting for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::bead_order::Links;
use super::beads_elsewhere::{Elsewhere, NOWHERE};
use super::work_board::Board;
use super::work_filter::{Blocked, Picked, Reason, WorkFilter};
use super::work_index::{OpenBead, Start, WorkIndex};
use super::{BeadHead, EdgeKind, Found, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus, IssueType};

/// Other tools' bead types for something other than claimable work.
const NON_WORK_TYPES: [&str; 7] = [
    "gate", "molecule", "message", "agent", "role", "rig", "event",
];

/// Queries over a ledger's beads. Results are in working order, with the highest priority first
/// and, among equals, the oldest first.
pub struct OpenWork<'a> {
    beads: &'a Table<Bead>,
    links: &'a Links,
    index: Cow<'a, WorkIndex>,
}

impl<'a> OpenWork<'a> {
    pub(super) fn of(beads: &'a Table<Bead>, links: &'a Links, index: &'a WorkIndex) -> Self {
        let mut index = Cow::Borrowed(index);
        if !index.is_fresh() {
            index.to_mut().refresh(beads, links);
        }
        Self {
            beads,
            links,
            index,
        }
    }

    /// Returns the beads that can be worked on, with at most `most` ids in working order.
    #[must_use]
    pub fn ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        self.index_page(filter, most, |bead| {
            self.may_begin(bead, filter, now, elsewhere)
        })
    }

    /// Returns the first bead that can be worked on and is accepted by `is_wanted`.
    pub(crate) fn first_ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        is_wanted: impl Fn(&BeadHead<'_>) -> bool,
    ) -> Option<String> {
        let mut open = self.index.open();
        let first = open.find(|bead| {
            is_wanted(&bead.head)
                && self.takes(bead, filter)
                && self.may_begin(bead, filter, now, elsewhere)
        });
        first.map(|bead| bead.id.to_owned())
    }

    fn may_begin(
        &self,
        bead: &OpenBead<'_>,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
    ) -> bool {
        let head = &bead.head;
        let is_other_work = || match head.foreign_type {
            Some(kind) if NON_WORK_TYPES.contains(&kind) => true,
            _ => head.issue_type == IssueType::MergeRequest,
        };
        head.status == BeadStatus::Open
            && !bead.has_open_parts
            && (filter.issue_type.is_some() || !is_other_work())
            && match bead.start {
                Start::Free => true,
                Start::Depends => self.reasons(bead.id, now, elsewhere).is_empty(),
                Start::Blocked => false,
            }
    }

    /// Returns a page of the index, with the beads that match `filter` and are accepted by
    /// `is_wanted`.
    fn index_page(
        &self,
        filter: &WorkFilter,
        most: usize,
        is_wanted: impl Fn(&OpenBead<'_>) -> bool,
    ) -> Picked {
        let mut page = Picked::default();
        for bead in self.index.open() {
            if self.takes(&bead, filter) && is_wanted(&bead) {
                if page.total < most {
                    page.ids.push(bead.id.to_owned());
                }
                page.total += 1;
            }
        }
        page
    }

    fn takes(&self, bead: &OpenBead<'_>, filter: &WorkFilter) -> bool {
        filter.takes(&bead.head, |wanted| self.is_under(&bead.head, wanted))
    }

    fn is_under(&self, head: &BeadHead<'_>, wanted: &str) -> bool {
        let (mut next, mut known) = (head.parent().map(str::to_owned), BTreeSet::new());
        // Imported beads may form a cycle of parents.
        while let Some(parent) = next.take().filter(|parent| !known.contains(parent)) {
            if parent == wanted {
                return true;
            }
            let found = self.beads.find(&parent);
            let head = found.as_ref().and_then(Found::head);
            next = head.and_then(|head| head.parent().map(str::to_owned));
            known.insert(parent);
        }
        false
    }

    /// Returns the open beads that can't begin, each with all its reasons.
    #[must_use]
    pub fn blocked(&self, filter: &WorkFilter, now: Stamp, elsewhere: &Elsewhere) -> Vec<Blocked> {
        let board = Board::of(self.beads, now, elsewhere);
        let mut reasons = board.reasons();
        let stuck = (0..board.beads.len()).filter(|at| {
            board.is_open(*at) && !reasons[*at].is_empty() && board.is_wanted(*at, filter)
        });
        let mut stuck: Vec<usize> = stuck.collect();
        stuck.sort_by_key(|at| board.order(*at));
        let blocked = stuck.into_iter().map(|at| Blocked {
            id: board.beads[at].0.to_owned(),
            reasons: std::mem::take(&mut reasons[at]),
        });
        blocked.collect()
    }

    /// Returns the reasons why `id` can't begin, or an empty list if it can.
    #[must_use]
    pub fn reasons(&self, id: &str, now: Stamp, elsewhere: &Elsewhere) -> Vec<Reason> {
        let board = Board::around(self.beads, self.links, id, now, elsewhere);
        let at = board.position(id);
        at.map(|at| board.reasons().swap_remove(at))
            .unwrap_or_default()
    }

    /// Returns the beads matching `filter` in working order, with at most `most` ids.
    #[must_use]
    pub fn list(&self, filter: &WorkFilter, most: usize) -> Picked {
        if !filter.is_open_work() {
            let board = Board::of(self.beads, Stamp::default(), &NOWHERE);
            return board.list(filter, most, |_| true);
        }
        if !filter.is_selective() {
            // We need nothing about the other beads, so only count them.
            let first = self.index.open().take(most).map(|bead| bead.id.to_owned());
            return Picked {
                ids: first.collect(),
                total: self.index.encoded().count(),
            };
        }
        let is_status = |bead: &OpenBead<'_>| {
            filter.statuses.is_empty() || filter.statuses.contains(&bead.head.status)
        };
        self.index_page(filter, most, is_status)
    }

    /// Returns the beads depending on `id`, as its children and the others.
    #[must_use]
    pub fn dependents(&self, id: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let (children, waiters) = (self.links.children(id), self.links.waiters(id));
        (children.collect(), waiters.collect())
    }

    /// Returns the beads matching `filter` with `text` in their id, title, description, labels or
    /// any other text field. Case is ignored.
    #[must_use]
    pub fn search(&self, text: &str, filter: &WorkFilter, most: usize) -> Picked {
        let having = having(self.beads, text);
        let board = match &filter.under {
            // The filter `under` walks up the parents, so the board must have them too.
            Some(_) => Board::of(self.beads, Stamp::default(), &NOWHERE),
            None => Board::with(
                having
                    .iter()
                    .map(|(id, head)| (*id, head.clone()))
                    .collect(),
                Stamp::default(),
                &NOWHERE,
            ),
        };
        board.list(filter, most, |id| having.contains_key(id))
    }

    /// Returns the ids of beads missing from this ledger that beads here depend on.
    #[must_use]
    pub fn missing(&self) -> BTreeSet<String> {
        let mut missing = BTreeSet::new();
        for (_, found) in self.beads.iter() {
            let edges = found.head().map(|head| head.edges).unwrap_or_default();
            let others = edges.iter().filter(|edge| edge.kind != EdgeKind::Parent);
            let others = others.filter(|edge| !self.beads.contains(edge.to));
            missing.extend(others.map(|edge| edge.to.to_owned()));
        }
        missing
    }
}

/// Returns the short forms of the beads containing `text`.
fn having<'a>(beads: &'a Table<Bead>, text: &str) -> BTreeMap<&'a str, BeadHead<'a>> {
    let wanted = text.to_lowercase();
    let found = beads.mentioning(&wanted).into_iter();
    let found = found.filter(|(_, found)| found.record().is_some_and(|bead| bead.has(&wanted)));
    found
        .filter_map(|(id, found)| Some((id, found.head()?)))
        .collect()
}

#[cfg(test)]
mod reference {
    use super::*;

    impl OpenWork<'_> {
        /// Returns the beads that can be worked on, according to a board of all beads.
        pub(crate) fn ready_by_board(&self, now: Stamp) -> Vec<String> {
            let board = Board::of(self.beads, now, &NOWHERE);
            let reasons = board.reasons();
            let is_free = |at: &usize| {
                let head = &board.beads[*at].1;
                let has_open_parts = board.parts[*at].iter().any(|part| board.is_open(*part));
                head.status == BeadStatus::Open
                    && board.is_open(*at)
                    && reasons[*at].is_empty()
                    && head.issue_type != IssueType::MergeRequest
                    && !(head.issue_type == IssueType::Epic && has_open_parts)
            };
            let free = (0..board.beads.len()).filter(is_free).collect();
            board.picked(free, usize::MAX).ids
        }

        /// Returns the open beads, according to a board of all beads.
        pub(crate) fn list_by_board(&self, filter: &WorkFilter) -> Vec<String> {
            let board = Board::of(self.beads, Stamp::default(), &NOWHERE);
            board.list(filter, usize::MAX, |_| true).ids
        }
    }
}
