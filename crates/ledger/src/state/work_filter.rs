//! Which beads are asked for, and what is said of them.

use serde::Serialize;

use crate::Stamp;
use crate::bead::BeadStatus;

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
