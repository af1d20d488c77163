//! Merges context packs. Merging is commutative, associative and idempotent.
//!
//! We see a pack as a set of named parts, each with a set of values, and merge two packs by joining
//! these sets. Equal values collapse into one, and excerpts of the same state of a file are joined
//! line by line. Any other difference becomes a conflict that retains every value. For example, if
//! two packs state different goals, the merged pack uses one of them and lists both as a conflict
//! of `goal`.
//!
//! Origins that name a part missing from their own pack are dropped. After the merge, such an
//! origin could be taken for that of another pack's text.

mod join;
mod joined_lines;
mod merged_parts;
mod merged_runs;
mod together;

use std::collections::BTreeSet;

pub use self::join::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join};

use self::merged_parts::Parts;
use crate::context::{ContextPack, NotAPack, PackId, RESOLVED_ITEM, content_digest, redaction_of};

/// Objects merged field by field, since each field is a part of its own.
const OBJECTS: [&str; 4] = ["repoFacts", "constraints", "toolPolicy", "workspace"];
/// Lists of texts that are merged as sets.
const SETS: [&str; 3] = ["definitionOfDone", RESOLVED_ITEM, "sourceNotes"];
/// Fields that aren't parts, because they describe a single pack or are computed from other fields.
const APART: [&str; 12] = [
    "schema_version",
    "packId",
    "createdAt",
    "runId",
    "nodeId",
    "provenance",
    "redaction",
    "conflicts",
    "mergedFrom",
    "budget",
    "truncation",
    "nextActions",
];

/// Merges two whole packs.
///
/// Merging is commutative, associative and idempotent.
///
/// # Errors
/// Returns an error if the result is not a valid pack, which would be a bug.
pub fn merge(one: &ContextPack, other: &ContextPack) -> Result<ContextPack, NotAPack> {
    if one.pack_id == other.pack_id && content_digest(one) == content_digest(other) {
        let mut same = one.clone();
        same.created_at = one.created_at.clone().max(other.created_at.clone());
        return Ok(same);
    }
    let mut parts = Parts::of(one);
    parts.join(Parts::of(other));
    let mut merged = parts.into_pack()?;
    merged.created_at = one.created_at.clone().max(other.created_at.clone());
    merged.merged_from = leaves(one).union(&leaves(other)).copied().collect();
    merged.sort();
    merged.redaction = redaction_of(&merged, parts_withheld(one, other));
    Ok(merged.seal())
}

/// Returns the files withheld from at least one of the packs.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// Returns the ids of the packs merged into this one, or its own id if it hasn't been merged.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}
