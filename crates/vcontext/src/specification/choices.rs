//! The specification's enumerations that our code depends on.
//!
//! The words are also part of `fields.json`, and a test makes sure that both have the same ones.

/// Defines an enumeration with its words. The doc comments are required, since they end up in JSON
/// Schemas.
macro_rules! choice {
    ($(#[doc = $doc:literal])+ $name:ident { $( $(#[doc = $vdoc:literal])+ $variant:ident $word:literal, )+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $( $(#[doc = $vdoc])+ #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// All words, in the order of the specification.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word used in the specification.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// Parses a word used in the specification.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )+ _ => None }
            }
        }
    };
}

choice! {
    /// Statuses of items.
    ItemStatus {
        /// Not started.
        Pending "pending",
        /// Started.
        InProgress "inProgress",
        /// Done.
        Completed "completed",
        /// Held up by an obstacle.
        Blocked "blocked",
        /// Abandoned.
        Cancelled "cancelled",
        /// Ended without success. Only in xBRIEF, from version 0.6.
        Failed "failed",
    }
}

choice! {
    /// Priorities of items.
    Priority {
        /// Below normal.
        Low "low",
        /// Normal.
        Medium "medium",
        /// Above normal.
        High "high",
        /// Highest.
        Critical "critical",
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

choice! {
    /// Statuses of plans.
    PlanStatus {
        /// Being written.
        Draft "draft",
        /// Submitted for approval.
        Proposed "proposed",
        /// Approved.
        Approved "approved",
        /// Being carried out.
        InProgress "inProgress",
        /// Carried out.
        Completed "completed",
        /// Abandoned.
        Cancelled "cancelled",
    }
}

choice! {
    /// Effects of an event on its entry.
    Operation {
        /// First event, with the same meaning as `append`.
        Initial "initial",
        /// First event.
        Append "append",
        /// Changes the entry.
        Update "update",
        /// Deprecates the entry.
        Deprecate "deprecate",
    }
}

choice! {
    /// Kinds of entries.
    ItemKind {
        /// Approach that works.
        Strategy "strategy",
        /// Lesson learned.
        Learning "learning",
        /// Obligation.
        Rule "rule",
        /// Prohibition.
        Warning "warning",
        /// Anything else.
        Note "note",
    }
}

choice! {
    /// Statuses of entries.
    PlaybookStatus {
        /// To be followed.
        Active "active",
        /// No longer to be followed.
        Deprecated "deprecated",
        /// Retained, but not to be followed.
        Quarantined "quarantined",
    }
}

choice! {
    /// Kinds of actors.
    AgentKind {
        /// Person.
        Human "human",
        /// AI agent.
        AiAgent "aiAgent",
        /// Program.
        System "system",
    }
}

choice! {
    /// Kinds of changes.
    ChangeKind {
        /// Addition.
        Create "create",
        /// Modification.
        Update "update",
        /// Removal.
        Delete "delete",
        /// Creation of a fork.
        Fork "fork",
        /// Merge of a fork.
        Merge "merge",
    }
}
