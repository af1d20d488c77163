use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A step's part in a scope. The steps of a scope succeed or fail together, with clean-up in either
/// case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Scope {
    /// The scope itself. No one works on it: it ends once its members have ended or can no longer
    /// start. It fails if a member failed or can't start.
    Body,
    /// Work done in the scope.
    Member {
        /// The scope's name.
        of: String,
        /// True if a failure of the step aborts the scope, which skips members that haven't
        /// started.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborts: bool,
    },
    /// Clean-up, which starts once the scope has ended. It runs even if the scope failed.
    Cleanup {
        /// The scope's name.
        of: String,
    },
}

impl Scope {
    /// Returns the name of the scope that a member or clean-up belongs to. The step that represents
    /// the scope (`Body`) has no other scope, so this is `None` for it.
    #[must_use]
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::Body => None,
            Self::Member { of, .. } | Self::Cleanup { of } => Some(of),
        }
    }
}
