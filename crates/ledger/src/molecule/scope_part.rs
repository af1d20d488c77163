use serde::{Deserialize, Serialize};
use windlass_plan::StepIndex;

/// Gate kind that keeps a scope from ending before its members have. It isn't in the formula, so no
/// actor can open it.
pub(super) const SCOPE: &str = "scope";

/// A step's role in a scope. Other steps are given by their index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MolScope {
    /// The scope itself.
    Body {
        /// The steps that do the scope's work. Clean-up steps don't count.
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
