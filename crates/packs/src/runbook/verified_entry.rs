//! Verification of entries: every pointer is checked in the current state of the files, regardless of the claims of a
//! step. The files were read before, so this costs a look-up.

use windlass_base::{Entry, Evidence, Pointer, RepairOutcome};
use windlass_evidence::judge;
use windlass_repo::Snapshot;

/// Permission to show the text of moved evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPolicy {
    /// Only text at its captured location.
    InPlace,
    /// Also text that was found again, marked as moved.
    Repaired,
}

/// Judges every pointer of `entry`.
pub fn verify_entry(snapshot: &Snapshot, entry: &mut Entry) {
    if let Entry::Item(item) = entry {
        for evidence in &mut item.evidence {
            evidence.judgement = judge(snapshot, &evidence.pointer, evidence.capture.as_ref());
        }
    }
}

/// Returns the location whose text may be shown for `evidence`, if there is one.
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
