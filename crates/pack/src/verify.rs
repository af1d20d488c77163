//! Nothing is taken on trust: every pointer is judged in the state of the files at hand, also those that a
//! step says are fresh. The files were read before, so this costs a look-up.

use windlass_base::{Entry, Evidence, Freshness, Judgement, Pointer, Repair, RepairOutcome};
use windlass_evidence::judge;
use windlass_repo::Snapshot;

/// Whether the text of evidence that moved may be shown at its new place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPolicy {
    /// Only text that stands where it was captured.
    InPlace,
    /// Also text that was found again, marked as moved.
    Repaired,
}

/// Judges every pointer of `entry`.
pub fn verify_entry(snapshot: &Snapshot, entry: &mut Entry) {
    if let Entry::Item(item) = entry {
        for evidence in &mut item.evidence {
            let claimed = evidence.judgement.repair.take();
            evidence.judgement = verified(snapshot, &evidence.pointer, claimed);
        }
    }
}

fn verified(snapshot: &Snapshot, pointer: &Pointer, claimed: Option<Repair>) -> Judgement {
    let mut judgement = judge(snapshot, pointer, None);
    if judgement.status != Freshness::Fresh && judgement.repair.is_some() {
        let proven = claimed.filter(|repair| is_proven(snapshot, pointer, repair));
        judgement.repair = Some(proven.unwrap_or_else(Repair::unproven));
    }
    judgement
}

/// A new place counts only if the text there is what the repair says it is.
fn is_proven(snapshot: &Snapshot, old: &Pointer, repair: &Repair) -> bool {
    let stands = |new: &Pointer| new.source_hash.is_some() && judge(snapshot, new, None).is_fresh();
    match (repair.outcome, &repair.evidence) {
        (RepairOutcome::Moved, Some(new)) => new.source_hash == old.source_hash && stands(new),
        (RepairOutcome::Edited, Some(new)) => stands(new),
        (RepairOutcome::Moved | RepairOutcome::Edited, None) => false,
        (RepairOutcome::Ambiguous | RepairOutcome::Gone | RepairOutcome::Unproven, _) => true,
    }
}

/// The place whose text may be shown for `evidence`, if there is one.
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
        RepairOutcome::Moved | RepairOutcome::Edited => repair.evidence.as_ref(),
        _ => None,
    }
}
