use serde::{Deserialize, Serialize};
use windlass_plan::StepIndex;

/// Gate kind for keeping a scope open until its members have ended.
pub(super) const SCOPE: &str = "scope";

/// A step's role in a scope. Other steps are given by index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MolScope {
    /// The scope itself.
    Body {
        /// The scope's steps, excluding its clean-up.
        members: Vec<StepIndex>,
    },
    /// A step of the scope's work.
    Member {
        /// The scope's index.
        of: StepIndex,
        /// True if a failure of this step aborts the scope.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborts: bool,
    },
    /// A clean-up step that runs after the scope.
    Cleanup {
        /// The scope's index.
        of: StepIndex,
    },
}
