//! Outcomes of runs.

use serde::{Deserialize, Serialize};

/// The outcome of a run, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All steps are done. Some evidence may still be stale, if the runbook only reports that.
    Done,
    /// A step failed.
    Failed,
    /// A step needs a permission that was not granted.
    Refused,
    /// Some evidence is stale, and the runbook is strict about it.
    Stale,
    /// The user stopped the run.
    Cancelled,
}

impl Ending {
    /// The outcome as in JSON.
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
