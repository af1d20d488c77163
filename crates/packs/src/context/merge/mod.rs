//! Merging packs: the same whichever comes first, however they are grouped, and however often.
//!
//! Each part of a pack has a name. What packs say of a part is a set, and merging joins the sets: parts that are the same are one,
//! excerpts of the same state of a file are joined line by line, and whatever else differs is a conflict that keeps all that is said.

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
/// What is no part: it is of one pack, or follows from the others.
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

/// The pack that two are together.
///
/// Merging is commutative, associative and idempotent. Both are to be whole.
///
/// # Errors
/// When they cannot be put together again; that is a mistake in this program.
pub fn merge(one: &ContextPack, other: &ContextPack) -> Result<ContextPack, NotAPack> {
    if one.pack_id == other.pack_id && content_digest(one) == content_digest(other) {
        let mut same = one.clone();
        same.created_at = one.created_at.clone().max(other.created_at.clone());
        return Ok(same);
    }
    let mut parts = Parts::of(one);
    parts.join(Parts::of(other));
    let mut merged = parts.together()?;
    merged.created_at = one.created_at.clone().max(other.created_at.clone());
    merged.merged_from = leaves(one).union(&leaves(other)).copied().collect();
    merged.sort();
    merged.redaction = redaction_of(&merged, parts_withheld(one, other));
    Ok(merged.seal())
}

/// The files that either could not read.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// The packs that a pack was merged of.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}
