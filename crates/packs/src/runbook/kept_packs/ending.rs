use serde::{Deserialize, Serialize};

/// How a run ended; the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Done, also with something stale that the runbook only reports.
    Done,
    /// A step failed.
    Failed,
    /// A step was not allowed.
    Refused,
    /// Something is stale, and the runbook is strict.
    Stale,
    /// It was stopped.
    Cancelled,
}

impl Ending {
    /// The word as it stands in JSON.
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
