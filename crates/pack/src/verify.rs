//! Nothing is taken on trust: every pointer is judged in the state of the files at hand, also those that a
//! step says are fresh. The files were read before, so this costs a look-up.

use windlass_base::{
    Entry, Evidence, Freshness, Judgement, Pointer, Repair, RepairOutcome, SourceHash,
};
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

/// The most places to look at that are named where none is claimed.
const MAX_CANDIDATES: usize = 3;

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
        let proven = claimed.map(|repair| proven(snapshot, pointer, repair));
        judgement.repair = Some(proven.unwrap_or_else(Repair::unproven));
    }
    judgement
}

/// What of a repair can be verified here: that a text stands at a new place. Everything else it claims takes
/// more than the pointer to prove, so only the places to look at are left of it.
fn proven(snapshot: &Snapshot, old: &Pointer, repair: Repair) -> Repair {
    let Repair {
        outcome,
        evidence,
        mut candidates,
        ..
    } = repair;
    match (outcome, evidence) {
        (RepairOutcome::Moved, Some(new)) if is_same_text(snapshot, old, &new) => {
            return Repair {
                outcome,
                evidence: Some(new),
                method: repair.method,
                confidence: 100,
                candidates: Vec::new(),
            };
        }
        (RepairOutcome::Edited, Some(new)) => candidates.insert(0, new),
        _ => {}
    }
    candidates.truncate(MAX_CANDIDATES);
    let outcome = if outcome == RepairOutcome::Ambiguous {
        outcome
    } else {
        RepairOutcome::Unproven
    };
    Repair {
        outcome,
        candidates,
        ..Repair::unproven()
    }
}

fn is_same_text(snapshot: &Snapshot, old: &Pointer, new: &Pointer) -> bool {
    let same = match old.source_hash {
        None => false,
        Some(SourceHash::Span(_)) => new.source_hash == old.source_hash,
        // The hash of a whole file says nothing about which of its lines are meant.
        Some(SourceHash::File(_)) => new.source_hash == old.source_hash && new.span == old.span,
    };
    same && judge(snapshot, new, None).is_fresh()
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
        RepairOutcome::Moved => repair.evidence.as_ref(),
        _ => None,
    }
}
