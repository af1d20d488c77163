use serde::{Deserialize, Serialize};

use crate::StepIndex;

/// A step's status, shared by runbook runs and molecules.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waiting for its needs.
    #[default]
    Pending,
    /// Unable to start: see [`Because`].
    Blocked,
    /// May start.
    Ready,
    /// Running.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Failed,
    /// Skipped, by its condition or by hand. Dependents inherit its needs.
    Skipped,
}

impl Status {
    /// The name in JSON, e.g. `in_progress`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Blocked => "blocked",
            Self::Ready => "ready",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Reasons why a step is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// A step that this one needs directly or indirectly has failed.
    Failed(StepIndex),
    /// The last attempt failed, and the next one has to wait.
    Retry,
    /// The run was halted before the step could start.
    Halted,
}
