use serde::{Deserialize, Serialize};
use windlass_base::{Entry, Freshness, Judgement, RepairOutcome};

/// Status of a section as a whole.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SectionStatus {
    /// The section has no entries.
    Empty,
    /// It has observations only.
    Observed,
    /// All its evidence is verified where it was captured.
    Fresh,
    /// All evidence is verified, some of it at a new location.
    Moved,
    /// Some of its evidence cannot be verified.
    Unknown,
    /// Some of its evidence is no longer at its captured location.
    Stale,
    /// Its step was skipped.
    Skipped,
    /// Its step failed, or never started.
    Failed,
}

impl SectionStatus {
    /// Returns the status as it is written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Observed => "observed",
            Self::Fresh => "fresh",
            Self::Moved => "moved",
            Self::Unknown => "unknown",
            Self::Stale => "stale",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// Returns true if some evidence is not verified at its captured location.
    #[must_use]
    pub fn breaks_strict(self) -> bool {
        matches!(self, Self::Moved | Self::Unknown | Self::Stale)
    }

    /// Returns the status of a section with `entries`, which is that of the worst entry.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let status = |entry: &Entry| match entry {
            Entry::Observation(_) => Self::Observed,
            Entry::Item(item) => item
                .evidence
                .iter()
                .map(|evidence| of_judgement(&evidence.judgement))
                .max()
                .unwrap_or(Self::Unknown),
        };
        entries.iter().map(status).max().unwrap_or(Self::Empty)
    }
}

/// Returns the status of a section whose only evidence has the verdict `judgement`.
pub(crate) fn of_judgement(judgement: &Judgement) -> SectionStatus {
    match (judgement.status, judgement.outcome()) {
        (Freshness::Fresh, _) => SectionStatus::Fresh,
        (_, Some(RepairOutcome::Moved)) => SectionStatus::Moved,
        (Freshness::Unknown, _) => SectionStatus::Unknown,
        _ => SectionStatus::Stale,
    }
}

/// Status of a run as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackStatus {
    /// Everything requested is present, and all evidence is verified.
    Ok,
    /// Everything is present, but some evidence is stale or cannot be verified.
    Stale,
    /// Some steps failed, and the runbook continues without them.
    Partial,
    /// A step failed.
    Failed,
    /// The run was stopped.
    Cancelled,
}

impl PackStatus {
    /// Returns the status as it is written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Stale => "stale",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
