//! Which beads can be worked on now, and what the others wait for.

use std::collections::BTreeMap;

use serde::Serialize;

use super::board::Board;
use super::elsewhere::{Elsewhere, NOWHERE};
use super::{BeadHead, Hold, State, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus, IssueType};

/// Types of other tools that are no work for anybody to take.
const NO_WORK: [&str; 7] = [
    "gate", "molecule", "message", "agent", "role", "rig", "event",
];

/// Which beads are asked for.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Of these statuses; of all but `closed` where none is named.
    pub statuses: Vec<BeadStatus>,
    /// Also closed ones.
    pub all: bool,
    /// Of this type, ours or another tool's.
    pub issue_type: Option<String>,
    /// Of these priorities.
    pub priorities: Vec<u8>,
    /// For this one.
    pub assignee: Option<String>,
    /// For nobody.
    pub unassigned: bool,
    /// With all of these labels.
    pub labels: Vec<String>,
    /// Below this one, at any depth.
    pub under: Option<String>,
}

/// Why a bead cannot be begun.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// It waits until another is closed.
    WaitsFor {
        /// The other.
        id: String,
        /// Where that stands.
        status: &'static str,
    },
    /// It waits for one that is not in this ledger.
    Missing {
        /// The other.
        id: String,
    },
    /// It begins only if another fails, which is not known yet.
    WaitsForFailure {
        /// The other.
        id: String,
    },
    /// It would have begun if another had failed, which it did not: it never will.
    DidNotFail {
        /// The other.
        id: String,
    },
    /// It waits for the children of another.
    WaitsForChildren {
        /// The other.
        id: String,
        /// How many are open.
        open: usize,
        /// How many there are.
        children: usize,
        /// Whether the other is closed, so that no more of them come.
        closed: bool,
    },
    /// What it is a part of is blocked.
    PartOfBlocked {
        /// What it is a part of.
        id: String,
    },
    /// It was put off.
    Deferred {
        /// Until when; for good if not given.
        until: Option<Stamp>,
    },
    /// It was said to be blocked, without a bead it waits for.
    SaidToBe,
    /// It is pinned, to be seen and not to be worked on.
    Pinned,
}

/// A bead that cannot be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Its id.
    pub id: String,
    /// Why not.
    pub reasons: Vec<Reason>,
}

/// Beads that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    /// The ids of the first of them, in order.
    pub ids: Vec<String>,
    /// How many there are.
    pub total: usize,
}

impl State {
    /// The beads that can be worked on, the most important first, the oldest of these first; `most` of them are named.
    #[must_use]
    pub fn ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        let board = Board::of(self, now, elsewhere);
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
                        .is_some_and(|kind| NO_WORK.contains(&kind))
                        && head.issue_type != IssueType::MergeRequest)
                && !(head.issue_type == IssueType::Epic && open_parts())
        };
        let free = (0..board.beads.len()).filter(|at| is_free(*at) && board.is_wanted(*at, filter));
        board.picked(free.collect(), most)
    }

    /// The beads that are not closed and cannot be begun, with all reasons.
    #[must_use]
    pub fn blocked(&self, filter: &WorkFilter, now: Stamp, elsewhere: &Elsewhere) -> Vec<Blocked> {
        let board = Board::of(self, now, elsewhere);
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

    /// Why `id` cannot be begun; nothing where it can.
    #[must_use]
    pub fn reasons(&self, id: &str, now: Stamp, elsewhere: &Elsewhere) -> Vec<Reason> {
        let board = Board::around(self, id, now, elsewhere);
        let board = board.unwrap_or_else(|| Board::of(self, now, elsewhere));
        let at = board.position(id);
        at.map(|at| board.reasons().swap_remove(at))
            .unwrap_or_default()
    }

    /// The beads that `filter` asks for, in the same order; `most` of them are named.
    #[must_use]
    pub fn list(&self, filter: &WorkFilter, most: usize) -> Picked {
        Board::of(self, Stamp::default(), &NOWHERE).list(filter, most, |_| true)
    }

    /// As [`State::list`], of those in which `text` stands: in their id, title, description, labels, or any other field that
    /// is a text. Large and small letters are the same.
    #[must_use]
    pub fn search(&self, text: &str, filter: &WorkFilter, most: usize) -> Picked {
        let having = having(&self.beads, text);
        let board = match &filter.under {
            // What they are a part of decides.
            Some(_) => Board::of(self, Stamp::default(), &NOWHERE),
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
}

/// The beads in which `text` stands, in short.
fn having<'a>(beads: &'a Table<Bead>, text: &str) -> BTreeMap<&'a str, BeadHead<'a>> {
    let wanted = text.to_lowercase();
    let found = beads.mentioning(&wanted).into_iter();
    let found = found.filter(|(_, found)| found.record().is_some_and(|bead| bead.has(&wanted)));
    found
        .filter_map(|(id, found)| Some((id, found.head()?)))
        .collect()
}
