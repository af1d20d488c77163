//! Criteria for beads, and the results of queries.

use serde::Serialize;

use crate::Stamp;
use crate::bead::BeadStatus;

/// Criteria that select beads.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Statuses to include; all but `closed` if empty.
    pub statuses: Vec<BeadStatus>,
    /// True to include closed beads.
    pub all: bool,
    /// Type of work, ours or another tool's.
    pub issue_type: Option<String>,
    /// Priorities to include; all if empty.
    pub priorities: Vec<u8>,
    /// Actor to whom a bead must be assigned.
    pub assignee: Option<String>,
    /// True to include only unassigned beads.
    pub unassigned: bool,
    /// Labels, all of which a bead must have.
    pub labels: Vec<String>,
    /// Ancestor, at any distance.
    pub under: Option<String>,
}

/// Reason why a bead cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// Waits until another bead is closed.
    WaitsFor {
        /// Id of the other bead.
        id: String,
        /// Status of the other bead.
        status: &'static str,
    },
    /// Waits for a bead that this ledger does not have.
    Missing {
        /// Id of the other bead.
        id: String,
    },
    /// Begins only if another bead fails, and that bead is still open.
    WaitsForFailure {
        /// Id of the other bead.
        id: String,
    },
    /// Was to begin if another bead failed, but that bead succeeded.
    DidNotFail {
        /// Id of the other bead.
        id: String,
    },
    /// Waits for the children of another bead.
    WaitsForChildren {
        /// Id of the other bead.
        id: String,
        /// Number of open children.
        open: usize,
        /// Number of children.
        children: usize,
        /// True if the other bead is closed, so that it gets no more children.
        closed: bool,
    },
    /// The parent is blocked.
    PartOfBlocked {
        /// Id of the parent.
        id: String,
    },
    /// The bead was deferred.
    Deferred {
        /// End of the deferral; indefinite if absent.
        until: Option<Stamp>,
    },
    /// Marked as blocked by hand.
    SaidToBe,
    /// Pinned for information, not for work.
    Pinned,
}

/// A bead that cannot begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Id of the bead.
    pub id: String,
    /// Reasons why the bead cannot begin; at least one.
    pub reasons: Vec<Reason>,
}

/// Page of a query result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    /// Ids of the first matches, in order.
    pub ids: Vec<String>,
    /// Number of matches.
    pub total: usize,
}
