//! Words of the specification that code goes by.

/// One of some words.
macro_rules! choice {
    ($(#[doc = $doc:literal])+ $name:ident { $( $(#[doc = $vdoc:literal])+ $variant:ident $word:literal, )+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $( $(#[doc = $vdoc])+ #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// The words, in the order of the specification.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// What `word` says.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )+ _ => None }
            }
        }
    };
}

choice! {
    /// How far an item is.
    ItemStatus {
        /// Not begun.
        Pending "pending",
        /// Begun.
        InProgress "inProgress",
        /// Done.
        Completed "completed",
        /// Something is in its way.
        Blocked "blocked",
        /// It will not be done.
        Cancelled "cancelled",
    }
}

choice! {
    /// How much something matters.
    Priority {
        /// Little.
        Low "low",
        /// As usual.
        Medium "medium",
        /// Much.
        High "high",
        /// More than all else.
        Critical "critical",
    }
}

impl Priority {
    /// As beads and formulas have it: 0 for the highest, to 3.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Critical => 0,
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// What such a number is; whatever is beyond 3 is low as well.
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
    /// How far a plan is.
    PlanStatus {
        /// It is being written.
        Draft "draft",
        /// Others are asked.
        Proposed "proposed",
        /// Others agreed.
        Approved "approved",
        /// It is being carried out.
        InProgress "inProgress",
        /// It was.
        Completed "completed",
        /// It will not be.
        Cancelled "cancelled",
    }
}

choice! {
    /// What an event does to its entry.
    Operation {
        /// It is the first; the same as `append`.
        Initial "initial",
        /// It is the first.
        Append "append",
        /// It changes what the entry says.
        Update "update",
        /// The entry is no longer to be followed.
        Deprecate "deprecate",
    }
}

choice! {
    /// What an entry is.
    ItemKind {
        /// A way that works.
        Strategy "strategy",
        /// What was learned.
        Learning "learning",
        /// What has to be done.
        Rule "rule",
        /// What must not be done.
        Warning "warning",
        /// Anything else.
        Note "note",
    }
}

choice! {
    /// Whether an entry is to be followed.
    PlaybookStatus {
        /// It is.
        Active "active",
        /// It no longer is.
        Deprecated "deprecated",
        /// It is kept, but not to be followed.
        Quarantined "quarantined",
    }
}

choice! {
    /// What sort of actor somebody is.
    AgentKind {
        /// A person.
        Human "human",
        /// An AI agent.
        AiAgent "aiAgent",
        /// A program.
        System "system",
    }
}

choice! {
    /// What a change was.
    ChangeKind {
        /// Something new.
        Create "create",
        /// Something else.
        Update "update",
        /// Something taken away.
        Delete "delete",
        /// A copy was made.
        Fork "fork",
        /// A copy was brought back.
        Merge "merge",
    }
}
