use serde::{Deserialize, Serialize};

/// Outcome of a run, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All steps are done. Evidence may still be stale if the runbook only reports that.
    Done,
    /// A step failed.
    Failed,
    /// A step was not permitted.
    Refused,
    /// Evidence is stale, and the runbook is strict.
    Stale,
    /// The run was stopped by the user.
    Cancelled,
}

impl Ending {
    /// Returns the outcome as written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Stale => "stale",
            Self::Cancelled => "cancelled",
        }
    }
}
