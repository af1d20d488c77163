use serde::{Deserialize, Serialize};
use windlass_base::{Entry, Freshness, Judgement, RepairOutcome};

/// What a section as a whole may be relied on for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SectionStatus {
    /// It found nothing.
    Empty,
    /// It holds observations only.
    Observed,
    /// All its evidence is verified where it was captured.
    Fresh,
    /// All its evidence is verified, some of it at a new place.
    Moved,
    /// Some of its evidence cannot be verified.
    Unknown,
    /// Some of its evidence no longer stands where it was captured.
    Stale,
    /// Its step was skipped.
    Skipped,
    /// Its step failed, or never started.
    Failed,
}

impl SectionStatus {
    /// The word as it stands in JSON.
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

    /// Whether evidence is not verified where it was captured.
    #[must_use]
    pub fn breaks_strict(self) -> bool {
        matches!(self, Self::Moved | Self::Unknown | Self::Stale)
    }

    /// The status of a section that holds `entries`: that of the worst.
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

/// What one verdict means for the section it stands in.
pub(crate) fn of_judgement(judgement: &Judgement) -> SectionStatus {
    match (judgement.status, judgement.outcome()) {
        (Freshness::Fresh, _) => SectionStatus::Fresh,
        (_, Some(RepairOutcome::Moved)) => SectionStatus::Moved,
        (Freshness::Unknown, _) => SectionStatus::Unknown,
        _ => SectionStatus::Stale,
    }
}

/// How a run as a whole went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackStatus {
    /// Everything asked for is there, and what carries evidence is verified.
    Ok,
    /// Everything is there, but some of it is stale or cannot be verified.
    Stale,
    /// Some steps failed, and the runbook says to go on without them.
    Partial,
    /// A step failed.
    Failed,
    /// The run was stopped.
    Cancelled,
}

impl PackStatus {
    /// The word as it stands in JSON.
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
