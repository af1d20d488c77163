//! The status of a section or a run, derived from the evidence in it.

use windlass_base::{Entry, Freshness, Judgement, RepairOutcome};

windlass_base::word_enum! {
    /// Status of a section as a whole.
    SectionStatus, "status of a section" {
        /// The section has no entries.
        Empty = "empty",
        /// The section has only observations.
        Observed = "observed",
        /// All evidence is verified at its captured location.
        Fresh = "fresh",
        /// All evidence is verified, but some of it at a new location.
        Moved = "moved",
        /// Some evidence can't be verified.
        Unknown = "unknown",
        /// Some evidence is no longer at its captured location.
        Stale = "stale",
        /// The section's step was skipped.
        Skipped = "skipped",
        /// The section's step failed or never started.
        Failed = "failed",
    }
}

impl SectionStatus {
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

windlass_base::word_enum! {
    /// Status of a run as a whole.
    PackStatus, "status of a pack" {
        /// Everything requested is there, with all evidence verified.
        Ok = "ok",
        /// Everything is there, but some evidence is stale or can't be verified.
        Stale = "stale",
        /// Some steps failed, and the runbook went on without them.
        Partial = "partial",
        /// A step failed.
        Failed = "failed",
        /// The run was stopped.
        Cancelled = "cancelled",
    }
}
