//! Criteria that select beads, and the results of queries.

use serde::Serialize;

use super::BeadHead;
use crate::Stamp;
use crate::bead::BeadStatus;

/// Criteria that select beads. A bead must meet every criterion that is set.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Statuses to include. If empty, all statuses except `closed`.
    pub statuses: Vec<BeadStatus>,
    /// True to include closed beads.
    pub all: bool,
    /// Type of work, either one of ours or another tool's.
    pub issue_type: Option<String>,
    /// Priorities to include. If empty, all priorities.
    pub priorities: Vec<u8>,
    /// Actor to whom a bead must be assigned.
    pub assignee: Option<String>,
    /// True to include only unassigned beads.
    pub unassigned: bool,
    /// Labels that a bead must have. All of them are required.
    pub labels: Vec<String>,
    /// Bead that must be an ancestor, at any distance.
    pub under: Option<String>,
    /// Number of first beads to skip in a list. The limit of the list includes them.
    pub skip: usize,
}

impl WorkFilter {
    /// True if the filter lists beads by their status alone, and closed ones are not among them.
    pub(super) fn is_open_work(&self) -> bool {
        !self.all && !self.statuses.contains(&BeadStatus::Closed)
    }

    /// True if any criterion other than the default is set.
    pub(super) fn is_selective(&self) -> bool {
        let is_any = self.priorities.is_empty() && self.labels.is_empty() && !self.unassigned;
        let names = [&self.issue_type, &self.assignee, &self.under];
        !is_any || !self.statuses.is_empty() || names.iter().any(|name| name.is_some())
    }

    /// True if a bead meets the criteria apart from its status. `is_under` decides whether it has an ancestor.
    pub(super) fn takes(&self, head: &BeadHead<'_>, is_under: impl Fn(&str) -> bool) -> bool {
        let is_type = |wanted: &String| match head.foreign_type {
            Some(foreign) => foreign == wanted,
            None => head.issue_type.as_str() == wanted,
        };
        let is_holder = |wanted: &String| head.assignee == Some(wanted);
        self.issue_type.as_ref().is_none_or(is_type)
            && (self.priorities.is_empty() || self.priorities.contains(&head.priority))
            && self.assignee.as_ref().is_none_or(is_holder)
            && !(self.unassigned && head.assignee.is_some())
            && (self.labels.iter()).all(|label| head.labels.contains(&label.as_str()))
            && self.under.as_deref().is_none_or(is_under)
    }
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
    /// Can begin only if another bead fails, and that bead is still open.
    WaitsForFailure {
        /// Id of the other bead.
        id: String,
    },
    /// Could begin only if another bead failed, but that bead succeeded.
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
        /// True if the other bead is closed and therefore gets no more children.
        closed: bool,
    },
    /// The parent is blocked.
    PartOfBlocked {
        /// Id of the parent.
        id: String,
    },
    /// The bead was deferred.
    Deferred {
        /// End of the deferral. Absent if it is indefinite.
        until: Option<Stamp>,
    },
    /// The bead was marked as blocked by hand.
    SaidToBe,
    /// The bead is pinned for information and is not work.
    Pinned,
}

/// A bead that cannot begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Id of the bead.
    pub id: String,
    /// Reasons why the bead cannot begin. There is at least one.
    pub reasons: Vec<Reason>,
}

/// One page of a query result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    /// Ids of the matches on this page, in order.
    pub ids: Vec<String>,
    /// Total number of matches.
    pub total: usize,
}
