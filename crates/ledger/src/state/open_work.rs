//! Queries for the beads that can be worked on, and for what holds back the others.
//!
//! The index answers most queries, since it knows which beads can begin. The reasons for a single
//! bead come from a board of that bead and its neighbours ([`Board`]). Tests compare the two on
//! random ledgers.

use std::collections::BTreeSet;

use super::bead_order::Links;
use super::beads_elsewhere::Elsewhere;
use super::work_board::Board;
use super::work_filter::{Picked, Reason, WorkFilter};
use super::work_index::{ListedBead, Start, WorkIndex};
use super::{BeadHead, EdgeKind, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus, IssueType};

/// Types that other tools use for records that nobody can claim as work.
const NON_WORK_TYPES: [&str; 7] = [
    "gate", "molecule", "message", "agent", "role", "rig", "event",
];

/// Queries over a ledger's beads. Results are in working order: the highest priority first, and
/// among equals the oldest.
pub struct OpenWork<'a> {
    beads: &'a Table<Bead>,
    links: &'a Links,
    index: &'a WorkIndex,
}

impl<'a> OpenWork<'a> {
    pub(super) fn of(beads: &'a Table<Bead>, links: &'a Links, index: &'a WorkIndex) -> Self {
        Self {
            beads,
            links,
            index,
        }
    }

    /// Finds all beads that can be worked on, and returns the ids of the first `most`.
    #[must_use]
    pub fn ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        let beads = self.index.starting(|start| start != Start::Blocked);
        self.index_page(beads, filter, most, |bead| {
            self.may_begin(bead, filter, now, elsewhere)
        })
    }

    /// Finds the first ready bead that `is_wanted` accepts. Unlike [`Self::ready`], this does not
    /// go on to count the others.
    pub(crate) fn first_ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        is_wanted: impl Fn(&BeadHead<'_>) -> bool,
    ) -> Option<String> {
        let mut open = self.index.starting(|start| start != Start::Blocked);
        let first = open.find(|bead| {
            is_wanted(&bead.head)
                && self.takes(bead, filter)
                && self.may_begin(bead, filter, now, elsewhere)
        });
        first.map(|bead| bead.id.to_owned())
    }

    fn may_begin(
        &self,
        bead: &ListedBead<'_>,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
    ) -> bool {
        let head = &bead.head;
        // These aren't work for an agent to pick up, unless the filter asks for their type.
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

    /// Collects those of `beads` that match `filter` and are accepted by `is_wanted`. We return at
    /// most `most` of them, but count all.
    fn index_page<'b>(
        &self,
        beads: impl Iterator<Item = ListedBead<'b>>,
        filter: &WorkFilter,
        most: usize,
        is_wanted: impl Fn(&ListedBead<'_>) -> bool,
    ) -> Picked {
        let mut page = Picked::default();
        for bead in beads {
            if self.takes(&bead, filter) && is_wanted(&bead) {
                if page.total < most {
                    page.ids.push(bead.id.to_owned());
                }
                page.total += 1;
            }
        }
        page
    }

    fn takes(&self, bead: &ListedBead<'_>, filter: &WorkFilter) -> bool {
        filter.takes(&bead.head, |wanted| self.is_under(&bead.head, wanted))
    }

    fn is_under(&self, head: &BeadHead<'_>, wanted: &str) -> bool {
        let (mut next, mut known) = (head.parent().map(str::to_owned), BTreeSet::new());
        // Parents shouldn't form a cycle, since we refuse or put aside every dependency that would
        // close one. If there is one anyway, don't loop forever.
        while let Some(parent) = next.take().filter(|parent| !known.contains(parent)) {
            if parent == wanted {
                return true;
            }
            let head = self.beads.head(&parent);
            next = head.and_then(|head| head.parent().map(str::to_owned));
            known.insert(parent);
        }
        false
    }

    /// Returns the open beads that cannot begin, with at most `most` ids in working order.
    #[must_use]
    pub fn blocked(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        let beads = self.index.starting(|start| start != Start::Free);
        self.index_page(beads, filter, most, |bead| {
            bead.start == Start::Blocked || !self.reasons(bead.id, now, elsewhere).is_empty()
        })
    }

    /// All reasons why `id` cannot begin. The list is empty if it can.
    #[must_use]
    pub fn reasons(&self, id: &str, now: Stamp, elsewhere: &Elsewhere) -> Vec<Reason> {
        let board = Board::around(self.beads, self.links, id, now, elsewhere);
        let at = board.position(id);
        at.map(|at| board.reasons().swap_remove(at))
            .unwrap_or_default()
    }

    /// Finds the beads that match `filter`, and returns the ids of the first `most`.
    #[must_use]
    pub fn list(&self, filter: &WorkFilter, most: usize) -> Picked {
        let closed_too = !filter.is_open_work();
        if filter.is_selective() {
            let beads = self.index.beads(closed_too);
            return self.index_page(beads, filter, most, |bead| filter.takes_status(&bead.head));
        }
        // We only have to decode the beads on this page. The others are just counted.
        let first = self.index.beads(closed_too).take(most);
        Picked {
            ids: first.map(|bead| bead.id.to_owned()).collect(),
            total: match closed_too {
                true => self.beads.count(),
                false => self.index.encoded(false).count(),
            },
        }
    }

    /// Returns the beads that depend on `id`: first its children, then those that wait for it.
    #[must_use]
    pub fn dependents(&self, id: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let (children, waiters) = (self.links.children(id), self.links.waiters(id));
        (children.collect(), waiters.collect())
    }

    /// Lists beads like [`Self::list`], but only those that have `text` in any text field,
    /// regardless of case.
    #[must_use]
    pub fn search(&self, text: &str, filter: &WorkFilter, most: usize) -> Picked {
        let mut found = having(self.beads, text);
        found.retain(|(_, head)| {
            filter.takes_status(head) && filter.takes(head, |wanted| self.is_under(head, wanted))
        });
        found.sort_by_key(|(id, head)| (head.priority, head.created, *id));
        let ids = found.iter().take(most).map(|(id, _)| (*id).to_owned());
        Picked {
            ids: ids.collect(),
            total: found.len(),
        }
    }

    /// Returns the ids that beads here depend on, but that this ledger does not have. A missing
    /// parent holds nothing back, so we leave those out.
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

/// Returns the short forms of the beads containing `text`. Searching the rows is fast but
/// imprecise, so check each bead that may match.
fn having<'a>(beads: &'a Table<Bead>, text: &str) -> Vec<(&'a str, BeadHead<'a>)> {
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
    use crate::state::beads_elsewhere::NOWHERE;

    impl<'a> OpenWork<'a> {
        /// Returns the beads accepted by `is_wanted` in working order, with the reasons why each
        /// cannot begin, according to a board of all beads.
        fn by_board(
            &self,
            now: Stamp,
            is_wanted: impl Fn(&Board<'a>, usize, &[Reason]) -> bool,
        ) -> Vec<(String, Vec<Reason>)> {
            let beads = self.beads.iter();
            let beads = beads.filter_map(|(id, found)| Some((id, found.head()?)));
            let board = Board::with(beads.collect(), now, &NOWHERE);
            let reasons = board.reasons();
            let wanted = (0..board.beads.len()).filter(|at| is_wanted(&board, *at, &reasons[*at]));
            let mut wanted: Vec<usize> = wanted.collect();
            wanted.sort_by_key(|at| {
                let (id, head) = &board.beads[*at];
                (head.priority, head.created, *id)
            });
            let wanted = wanted.into_iter();
            let named = wanted.map(|at| (board.beads[at].0.to_owned(), reasons[at].clone()));
            named.collect()
        }

        pub(crate) fn ready_by_board(&self, now: Stamp) -> Vec<String> {
            let ready = self.by_board(now, |board, at, reasons| {
                let head = &board.beads[at].1;
                let has_open_parts = board.parts[at].iter().any(|part| board.is_open(*part));
                head.status == BeadStatus::Open
                    && board.is_open(at)
                    && reasons.is_empty()
                    && head.issue_type != IssueType::MergeRequest
                    && !(head.issue_type == IssueType::Epic && has_open_parts)
            });
            ready.into_iter().map(|(id, _)| id).collect()
        }

        pub(crate) fn blocked_by_board(&self, now: Stamp) -> Vec<(String, Vec<Reason>)> {
            self.by_board(now, |board, at, reasons| {
                board.is_open(at) && !reasons.is_empty()
            })
        }

        pub(crate) fn list_by_board(&self, all: bool) -> Vec<String> {
            let listed = self.by_board(Stamp::default(), |board, at, _| all || board.is_open(at));
            listed.into_iter().map(|(id, _)| id).collect()
        }
    }
}
