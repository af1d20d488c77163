//! Merges context packs. Merging is commutative, associative and idempotent.
//!
//! Each part of a pack has a name and a set of values. Merging two packs joins these sets: equal values become one,
//! excerpts of the same state of a file are joined line by line, and all other differences become conflicts that
//! retain every value.
//!
//! If an origin names a part that its pack does not have, the origin is dropped. It could otherwise be taken for the
//! origin of another pack's text.

mod join;
mod joined_lines;
mod merged_parts;
mod merged_runs;
mod together;

use std::collections::BTreeSet;

pub use self::join::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join};

use self::merged_parts::Parts;
use crate::context::{ContextPack, NotAPack, PackId, RESOLVED_ITEM, content_digest, redaction_of};

/// Objects whose fields are parts of their own.
const OBJECTS: [&str; 4] = ["repoFacts", "constraints", "toolPolicy", "workspace"];
/// Lists of texts, which are merged as sets.
const SETS: [&str; 3] = ["definitionOfDone", RESOLVED_ITEM, "sourceNotes"];
/// Fields that are not parts. They describe a single pack or are computed from other fields.
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

/// Returns the files that at least one of the packs could not read.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// Returns the ids of the packs that a pack was merged from. For a pack that was not merged, this is its own id.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}
