use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of a step in a scope: steps that succeed or fail together, with clean-up for either case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Scope {
    /// The scope itself. No one works on it: it ends when its members have ended or can no longer start, and fails if
    /// one of them failed or cannot start.
    Body,
    /// Work of the scope.
    Member {
        /// Name of the scope.
        of: String,
        /// True if its failure aborts the scope: members that have not started are skipped.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborts: bool,
    },
    /// Clean-up, which starts once the scope has ended, even if it failed.
    Cleanup {
        /// Name of the scope.
        of: String,
    },
}

impl Scope {
    /// Returns the name of the scope that the step belongs to. Returns `None` for the scope itself.
    #[must_use]
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::Body => None,
            Self::Member { of, .. } | Self::Cleanup { of } => Some(of),
        }
    }
}
