//! Verifies entries. Every pointer is checked against the current files, no matter what a step
//! claims. This is fast, since the snapshot usually has the files in memory already.

use windlass_base::{Entry, Evidence, Pointer, RepairOutcome};
use windlass_evidence::judge;
use windlass_repo::Snapshot;

/// Decides if text that has moved may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPolicy {
    /// Only show text that is still at its captured location.
    InPlace,
    /// Also show text that has moved, and mark it as such.
    Repaired,
}

/// Verifies all pointers of an entry, and stores the verdicts.
pub fn verify_entry(snapshot: &Snapshot, entry: &mut Entry) {
    if let Entry::Item(item) = entry {
        for evidence in &mut item.evidence {
            evidence.judgement = judge(snapshot, &evidence.pointer, evidence.capture.as_ref());
        }
    }
}

/// The location of the text that may be shown. Returns `None` if none may.
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
