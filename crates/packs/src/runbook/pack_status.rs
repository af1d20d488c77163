//! The status of a section or a run, derived from the evidence in it.

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
    /// The section has only observations.
    Observed,
    /// All evidence is verified at its captured location.
    Fresh,
    /// All evidence is verified, but some of it at a new location.
    Moved,
    /// Some evidence can't be verified.
    Unknown,
    /// Some evidence is no longer at its captured location.
    Stale,
    /// The section's step was skipped.
    Skipped,
    /// The section's step failed or never started.
    Failed,
}

impl SectionStatus {
    /// The status as in JSON.
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

    /// True if there's evidence that isn't verified at its captured location.
    #[must_use]
    pub fn breaks_strict(self) -> bool {
        matches!(self, Self::Moved | Self::Unknown | Self::Stale)
    }

    /// The worst status of any entry. An item without evidence is unknown.
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

/// The status of a section that has nothing but this evidence.
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
    /// Everything requested is there, with all evidence verified.
    Ok,
    /// Everything is there, but some evidence is stale or can't be verified.
    Stale,
    /// Some steps failed, and the runbook went on without them.
    Partial,
    /// A step failed.
    Failed,
    /// The run was stopped.
    Cancelled,
}

impl PackStatus {
    /// The status as in JSON.
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
