//! Failure counts of merged packs.
//!
//! We can't add up counts, because merging a pack twice would count its failures twice. Instead,
//! each results file keeps its own outcome (`RunCount`), and totals are computed from the set of
//! these outcomes. The order of merging then makes no difference.

use std::collections::BTreeSet;

use serde_json::Map;
use windlass_base::Digest;

use crate::context::{ArtifactRef, ContextPack, Delta, RunCount, SourceKind, artifact_item};

/// Delta fields that are computed from the runs.
pub(super) const COUNTED: [&str; 5] = [
    "tests",
    "moreFailures",
    "moreFailuresAtMost",
    "failuresAtLeast",
    "runs",
];

/// Returns the runs recorded in a pack. A pack that hasn't been merged is a single run.
pub(super) fn runs_of(pack: &ContextPack) -> Vec<RunCount> {
    let Some(delta) = &pack.delta else {
        return Vec::new();
    };
    if !delta.runs.is_empty() {
        return delta.runs.clone();
    }
    if delta.tests.is_none() && delta.more_failures.is_none() && delta.failures.is_empty() {
        return Vec::new();
    }
    let mut results = results_of(pack);
    if results.is_empty() {
        results.push(unnamed(delta));
    }
    vec![RunCount {
        results,
        tests: delta.tests,
        failures: delta.failures.len() as u64,
        more_failures: delta.more_failures.unwrap_or_default(),
        names: None,
        rest: Map::new(),
    }]
}

/// Returns the results files named by a pack.
fn results_of(pack: &ContextPack) -> Vec<ArtifactRef> {
    let items = pack.provenance.iter().flat_map(|it| &it.items);
    let from_results: BTreeSet<&str> = items
        .filter(|origin| origin.source.kind == SourceKind::Results)
        .map(|origin| origin.item.as_str())
        .collect();
    let named = pack.artifacts.iter();
    let named = named.filter(|it| from_results.contains(artifact_item(&it.reference).as_str()));
    let mut results: Vec<ArtifactRef> = named
        .map(|it| ArtifactRef {
            reference: it.reference.clone(),
            kind: it.kind,
            sha256: it.sha256.clone(),
            ..ArtifactRef::default()
        })
        .collect();
    results.sort_by(|one, other| one.reference.cmp(&other.reference));
    results
}

/// Returns a stand-in for results whose file is unknown. We derive it from the contents, so that
/// equal results get the same stand-in and are counted once.
fn unnamed(delta: &Delta) -> ArtifactRef {
    let contents = (&delta.tests, &delta.more_failures, &delta.failures);
    let digest = Digest::of_json(&contents).unwrap_or_else(|_| Digest::of_bytes(b""));
    ArtifactRef {
        reference: digest.to_string(),
        ..ArtifactRef::default()
    }
}
