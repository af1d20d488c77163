//! Merges context packs. Neither the order of the packs nor merging one of them twice makes a
//! difference.
//!
//! For a merge, a pack is a set of named parts, and each part has a set of values. We merge packs
//! by joining these sets. Equal values become one, and excerpts of the same state of a file are
//! joined line by line. Anything else is a conflict, which records all values. For example, if two
//! packs have different goals, the result has one of them, and a conflict for `goal` with both.
//!
//! Origins that don't belong to a part of their own pack are dropped. They could be taken for the
//! origin of another pack's text otherwise.

mod join;
mod joined_lines;
mod merged_parts;
mod merged_runs;
mod together;

use std::collections::BTreeSet;

pub use self::join::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join};

use self::merged_parts::Parts;
use crate::context::{ContextPack, NotAPack, PackId, RESOLVED_ITEM, content_digest, redaction_of};

/// Objects that are merged field by field, i.e. each of their fields is a part.
const OBJECTS: [&str; 4] = ["repoFacts", "constraints", "toolPolicy", "workspace"];
/// Lists of strings that are merged as sets.
const SETS: [&str; 3] = ["definitionOfDone", RESOLVED_ITEM, "sourceNotes"];
/// Fields that aren't parts, because they're about a single pack or computed from other fields.
/// When adding such a field to the pack, add it here as well, or it'll be in conflict all the time.
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
/// Merging is commutative, associative and idempotent. Differences that we can't join become
/// conflicts.
///
/// # Errors
/// Returns an error if the result isn't a valid pack, which would be a bug.
pub fn merge(one: &ContextPack, other: &ContextPack) -> Result<ContextPack, NotAPack> {
    // A pack that only differs in its time of creation isn't worth a merge.
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

/// The files that were withheld from either of the packs.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// The packs that this one was merged from, or just the pack itself if it was not merged.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}
