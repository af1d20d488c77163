//! Criteria for selecting beads, and what queries return.

use serde::Serialize;

use super::{BeadHead, Hold};
use crate::Stamp;
use crate::bead::BeadStatus;

/// Criteria for selecting beads.
///
/// A bead has to meet all criteria that are set. By default, that is any bead that is not closed.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Statuses to include. If this is empty, we include all but `closed`.
    pub statuses: Vec<BeadStatus>,
    /// True to include closed beads as well. Only matters if `statuses` is empty.
    pub all: bool,
    /// A type of ours, or another tool's.
    pub issue_type: Option<String>,
    /// Priorities to include. If this is empty, the priority does not matter.
    pub priorities: Vec<u8>,
    /// The actor a bead must be assigned to.
    pub assignee: Option<String>,
    /// True to include only beads that are assigned to nobody.
    pub unassigned: bool,
    /// Labels that a bead must have, all of them.
    pub labels: Vec<String>,
    /// A bead that must be an ancestor, at any distance.
    pub under: Option<String>,
    /// Number of matches to skip at the start of a list. The skipped ones count towards the limit.
    pub skip: usize,
}

impl WorkFilter {
    /// True if closed beads cannot match, so that the index of open beads is enough.
    pub(super) fn is_open_work(&self) -> bool {
        !self.all && !self.statuses.contains(&BeadStatus::Closed)
    }

    pub(super) fn is_selective(&self) -> bool {
        let is_any = self.priorities.is_empty() && self.labels.is_empty() && !self.unassigned;
        let names = [&self.issue_type, &self.assignee, &self.under];
        !is_any || !self.statuses.is_empty() || names.iter().any(|name| name.is_some())
    }

    pub(super) fn takes_status(&self, head: &BeadHead<'_>) -> bool {
        let is_listed = match self.statuses.as_slice() {
            [] => self.all || head.status != BeadStatus::Closed,
            some => some.contains(&head.status),
        };
        // A deleted bead is only of interest if the user asks for everything.
        is_listed && (self.all || head.hold != Some(Hold::Deleted))
    }

    /// Returns true if a bead meets the criteria, apart from the one for its status. `is_under`
    /// tells if the bead has a certain ancestor; it is the slowest check, so we call it last.
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

/// Reasons why a bead cannot begin.
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
    /// Waits for a bead that this ledger does not have.
    Missing {
        /// The other bead's id.
        id: String,
    },
    /// Can begin only if another bead fails, which is still open.
    WaitsForFailure {
        /// The other bead's id.
        id: String,
    },
    /// Could only begin if another bead failed, but that one succeeded, so this bead never begins.
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
        /// True if the other bead is closed, so it gets no more children.
        closed: bool,
    },
    /// The parent cannot begin, so neither can this bead.
    PartOfBlocked {
        /// The parent's id.
        id: String,
    },
    /// The bead was deferred.
    Deferred {
        /// End of the deferral, or `None` if there is none.
        until: Option<Stamp>,
    },
    /// A user marked the bead as blocked, in another tool.
    SaidToBe,
    /// The bead is there for information only.
    Pinned,
}

/// One page of a query result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    /// Ids of the matches on this page, in order.
    pub ids: Vec<String>,
    /// Number of matches on all pages.
    pub total: usize,
}
