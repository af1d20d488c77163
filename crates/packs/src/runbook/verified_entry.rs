//! Verifies entries. We check every pointer against the current files, whatever a step claims.
//! That's fast, because the files have already been read.

use windlass_base::{Entry, Evidence, Pointer, RepairOutcome};
use windlass_evidence::judge;
use windlass_repo::Snapshot;

/// Evidence whose text may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPolicy {
    /// Only text at its captured location.
    InPlace,
    /// Also text found at another location, marked as moved.
    Repaired,
}

/// Verifies every pointer in `entry` and stores the verdicts.
pub fn verify_entry(snapshot: &Snapshot, entry: &mut Entry) {
    if let Entry::Item(item) = entry {
        for evidence in &mut item.evidence {
            evidence.judgement = judge(snapshot, &evidence.pointer, evidence.capture.as_ref());
        }
    }
}

/// Returns the location whose text may be shown for `evidence`, or `None` if no text may be shown.
pub(crate) fn verified_place(evidence: &Evidence, policy: TextPolicy) -> Option<&Pointer> {
    if evidence.judgement.is_fresh() {
        return Some(&evidence.pointer);
    }
    let repair = evidence
        .judgement
        .repair
        .as_ref()
        .filter(|_| policy == TextPolicy::Repaired)?;
    match repair.outcome {
        RepairOutcome::Moved => repair.evidence.as_ref(),
        _ => None,
    }
}
