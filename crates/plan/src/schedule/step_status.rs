use serde::{Deserialize, Serialize};

use crate::StepIndex;

/// Where a step stands; the same words for runbook runs and molecules.
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
    /// Waits for what it needs.
    #[default]
    Pending,
    /// Cannot start for a reason of its own: see [`Because`].
    Blocked,
    /// May start.
    Ready,
    /// Is being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Gave up.
    Failed,
    /// Left out, by its condition or by hand; dependents inherit what it needed.
    Skipped,
}

impl Status {
    /// The word as it stands in JSON.
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

/// Why a step is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// A step it needs, directly or not, failed.
    Failed(StepIndex),
    /// It failed and waits for its next attempt.
    Retry,
    /// The run was halted before it could start.
    Halted,
}
