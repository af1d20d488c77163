//! Merging of packs, which is commutative, associative and idempotent.
//!
//! Each part of a pack has a name. Its values form a set, and merging unites the sets: equal parts become
//! one, excerpts of the same file state are joined line by line, and other differences are conflicts that
//! retain all values.
//!
//! An origin of a part that its pack does not have is dropped: it could be taken for the origin of another
//! pack's text.

mod join;
mod joined_lines;
mod merged_parts;
mod merged_runs;
mod together;

use std::collections::BTreeSet;

pub use self::join::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join};

use self::merged_parts::Parts;
use crate::context::{ContextPack, NotAPack, PackId, RESOLVED_ITEM, content_digest, redaction_of};

/// Objects whose fields are parts by themselves.
const OBJECTS: [&str; 4] = ["repoFacts", "constraints", "toolPolicy", "workspace"];
/// Lists of texts.
const SETS: [&str; 3] = ["definitionOfDone", RESOLVED_ITEM, "sourceNotes"];
/// Fields that are not parts: they belong to one pack, or follow from the other fields.
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
/// If the result is not a pack; that is a bug.
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

/// Returns the files that either pack could not read.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// Returns the ids of the packs that a pack was merged from.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}
