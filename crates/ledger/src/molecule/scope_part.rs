use serde::{Deserialize, Serialize};
use windlass_plan::StepIndex;

/// Kind of the gate of a scope, which opens once its members have ended.
pub(super) const SCOPE: &str = "scope";

/// Part of a step in a scope, with the indices of other steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MolScope {
    /// The scope itself.
    Body {
        /// Steps of the scope, without its clean-up.
        members: Vec<StepIndex>,
    },
    /// Work of the scope.
    Member {
        /// The scope.
        of: StepIndex,
        /// True if its failure aborts the scope.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborts: bool,
    },
    /// Clean-up after the scope.
    Cleanup {
        /// The scope.
        of: StepIndex,
    },
}
