//! The specification's enumerations that our code depends on.
//!
//! The words are also part of `fields.json`, and a test makes sure that both have the same ones.

use windlass_base::word_enum;

word_enum! {
    /// Statuses of items.
    ItemStatus, "status of an item" {
        /// Not started.
        Pending = "pending",
        /// Started.
        InProgress = "inProgress",
        /// Done.
        Completed = "completed",
        /// Held up by an obstacle.
        Blocked = "blocked",
        /// Abandoned.
        Cancelled = "cancelled",
        /// Ended without success. Only in xBRIEF, from version 0.6.
        Failed = "failed",
    }
}

word_enum! {
    /// Priorities of items.
    Priority, "priority" {
        /// Below normal.
        Low = "low",
        /// Normal.
        Medium = "medium",
        /// Above normal.
        High = "high",
        /// Highest.
        Critical = "critical",
    }
}

impl Priority {
    /// The rank in beads and formulas, from 0 for the highest priority to 3.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Critical => 0,
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// The inverse of [`rank`](Self::rank). A rank above 3 is low as well.
    #[must_use]
    pub fn of_rank(rank: u8) -> Self {
        match rank {
            0 => Self::Critical,
            1 => Self::High,
            2 => Self::Medium,
            _ => Self::Low,
        }
    }
}

word_enum! {
    /// Statuses of plans.
    PlanStatus, "status of a plan" {
        /// Being written.
        Draft = "draft",
        /// Submitted for approval.
        Proposed = "proposed",
        /// Approved.
        Approved = "approved",
        /// Being carried out.
        InProgress = "inProgress",
        /// Carried out.
        Completed = "completed",
        /// Abandoned.
        Cancelled = "cancelled",
    }
}

word_enum! {
    /// Effects of an event on its entry.
    Operation, "operation" {
        /// First event, with the same meaning as `append`.
        Initial = "initial",
        /// First event.
        Append = "append",
        /// Changes the entry.
        Update = "update",
        /// Deprecates the entry.
        Deprecate = "deprecate",
    }
}

word_enum! {
    /// Kinds of entries.
    ItemKind, "kind of entry" {
        /// Approach that works.
        Strategy = "strategy",
        /// Lesson learned.
        Learning = "learning",
        /// Obligation.
        Rule = "rule",
        /// Prohibition.
        Warning = "warning",
        /// Anything else.
        Note = "note",
    }
}

word_enum! {
    /// Statuses of entries.
    PlaybookStatus, "status of an entry" {
        /// To be followed.
        Active = "active",
        /// No longer to be followed.
        Deprecated = "deprecated",
        /// Retained, but not to be followed.
        Quarantined = "quarantined",
    }
}

word_enum! {
    /// Kinds of actors.
    AgentKind, "kind of actor" {
        /// Person.
        Human = "human",
        /// AI agent.
        AiAgent = "aiAgent",
        /// Program.
        System = "system",
    }
}

word_enum! {
    /// Kinds of changes.
    ChangeKind, "kind of change" {
        /// Addition.
        Create = "create",
        /// Modification.
        Update = "update",
        /// Removal.
        Delete = "delete",
        /// Creation of a fork.
        Fork = "fork",
        /// Merge of a fork.
        Merge = "merge",
    }
}
