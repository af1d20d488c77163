use serde::{Deserialize, Serialize};

/// Outcome of a run, which sets the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Done, possibly with stale evidence that the runbook only reports.
    Done,
    /// A step failed.
    Failed,
    /// A step was not allowed.
    Refused,
    /// Some evidence is stale, and the runbook is strict.
    Stale,
    /// It was stopped.
    Cancelled,
}

impl Ending {
    /// Returns the word used in JSON.
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
