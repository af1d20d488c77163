//! Criteria for selecting beads, and the results of queries.

use serde::Serialize;

use super::BeadHead;
use crate::Stamp;
use crate::bead::BeadStatus;

/// Criteria for selecting beads. A bead has to meet all that are set.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Statuses to include; all except `closed` if empty.
    pub statuses: Vec<BeadStatus>,
    /// True to include closed beads.
    pub all: bool,
    /// Type of work, either one of ours or another tool's.
    pub issue_type: Option<String>,
    /// Priorities to include; all if empty.
    pub priorities: Vec<u8>,
    /// The actor a bead must be assigned to.
    pub assignee: Option<String>,
    /// True to include only unassigned beads.
    pub unassigned: bool,
    /// Required labels, all of which a bead must have.
    pub labels: Vec<String>,
    /// A bead that must be an ancestor, at any distance.
    pub under: Option<String>,
    /// Number of beads to skip at the start of a list. The list's limit includes them.
    pub skip: usize,
}

impl WorkFilter {
    /// True if the filter lists beads by their status alone, without closed ones.
    pub(super) fn is_open_work(&self) -> bool {
        !self.all && !self.statuses.contains(&BeadStatus::Closed)
    }

    /// True if any criterion differs from the default.
    pub(super) fn is_selective(&self) -> bool {
        let is_any = self.priorities.is_empty() && self.labels.is_empty() && !self.unassigned;
        let names = [&self.issue_type, &self.assignee, &self.under];
        !is_any || !self.statuses.is_empty() || names.iter().any(|name| name.is_some())
    }

    /// True if a bead meets the criteria apart from its status. `is_under` decides whether it has
    /// an ancestor.
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

/// Reasons why a bead can't begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// Waits until another bead is closed.
    WaitsFor {
        /// The other bead's id.
        id: String,
        /// The other bead's status.
        status: &'static str,
    },
    /// Waits for a bead missing from this ledger.
    Missing {
        /// The other bead's id.
        id: String,
    },
    /// Can begin only if another bead fails, and that bead is still open.
    WaitsForFailure {
        /// The other bead's id.
        id: String,
    },
    /// Could only have begun if another bead had failed, but that bead succeeded.
    DidNotFail {
        /// The other bead's id.
        id: String,
    },
    /// Waits for the children of another bead.
    WaitsForChildren {
        /// The other bead's id.
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
        /// The parent's id.
        id: String,
    },
    /// The bead was deferred.
    Deferred {
        /// End of the deferral; absent if it's indefinite.
        until: Option<Stamp>,
    },
    /// The bead was marked as blocked by hand.
    SaidToBe,
    /// The bead is pinned for information and isn't work.
    Pinned,
}

/// A bead that can't begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The bead's id.
    pub id: String,
    /// Reasons why the bead can't begin, of which there is at least one.
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
