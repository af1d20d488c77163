//! Queries over beads: which ones can be worked on, and what the others wait for.

use std::collections::{BTreeMap, BTreeSet};

use super::beads_elsewhere::{Elsewhere, NOWHERE};
use super::work_board::Board;
use super::work_filter::{Blocked, Picked, Reason, WorkFilter};
use super::{BeadHead, EdgeKind, Hold, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus, IssueType};

/// Bead types of other tools that do not describe claimable work.
const NON_WORK_TYPES: [&str; 7] = [
    "gate", "molecule", "message", "agent", "role", "rig", "event",
];

/// Queries over the beads of a ledger. Results are in working order: highest priority first, then oldest first.
pub struct OpenWork<'a> {
    beads: &'a Table<Bead>,
}

impl<'a> OpenWork<'a> {
    pub(super) fn of(beads: &'a Table<Bead>) -> Self {
        Self { beads }
    }

    /// Returns the beads that can be worked on, with at most `most` ids. The highest priority comes first, then the
    /// oldest bead.
    #[must_use]
    pub fn ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        let board = Board::of(self.beads, now, elsewhere);
        let reasons = board.reasons();
        let is_free = |at: usize| {
            let (_, head) = &board.beads[at];
            let open_parts = || board.parts[at].iter().any(|part| board.is_open(*part));
            let is_asked = || filter.issue_type.is_some();
            head.status == BeadStatus::Open
                && head.hold != Some(Hold::Deleted)
                && reasons[at].is_empty()
                && (is_asked()
                    || !head
                        .foreign_type
                        .is_some_and(|kind| NON_WORK_TYPES.contains(&kind))
                        && head.issue_type != IssueType::MergeRequest)
                && !(head.issue_type == IssueType::Epic && open_parts())
        };
        let free = (0..board.beads.len()).filter(|at| is_free(*at) && board.is_wanted(*at, filter));
        board.picked(free.collect(), most)
    }

    /// Returns the open beads that cannot begin, each with all its reasons.
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

    /// Returns the reasons why `id` cannot begin. Returns an empty list if it can.
    #[must_use]
    pub fn reasons(&self, id: &str, now: Stamp, elsewhere: &Elsewhere) -> Vec<Reason> {
        let board = Board::around(self.beads, id, now, elsewhere);
        let board = board.unwrap_or_else(|| Board::of(self.beads, now, elsewhere));
        let at = board.position(id);
        at.map(|at| board.reasons().swap_remove(at))
            .unwrap_or_default()
    }

    /// Returns the beads that match `filter` in working order, with at most `most` ids.
    #[must_use]
    pub fn list(&self, filter: &WorkFilter, most: usize) -> Picked {
        Board::of(self.beads, Stamp::default(), &NOWHERE).list(filter, most, |_| true)
    }

    /// Returns the beads that match `filter` and contain `text` in their id, title, description, labels or any other
    /// text field. Case is ignored.
    #[must_use]
    pub fn search(&self, text: &str, filter: &WorkFilter, most: usize) -> Picked {
        let having = having(self.beads, text);
        let board = match &filter.under {
            // The filter `under` walks up the parents, so the board must contain them too.
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

    /// Returns the ids of beads that beads here depend on but that this ledger lacks.
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

/// Returns the short forms of the beads that contain `text`.
fn having<'a>(beads: &'a Table<Bead>, text: &str) -> BTreeMap<&'a str, BeadHead<'a>> {
    let wanted = text.to_lowercase();
    let found = beads.mentioning(&wanted).into_iter();
    let found = found.filter(|(_, found)| found.record().is_some_and(|bead| bead.has(&wanted)));
    found
        .filter_map(|(id, found)| Some((id, found.head()?)))
        .collect()
}
