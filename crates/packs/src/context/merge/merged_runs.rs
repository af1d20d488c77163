//! How many fail, where packs are merged.
//!
//! What each file of results said stays apart (`RunCount`), so that a count follows from the set of them, whichever came first.

use std::collections::BTreeSet;

use serde_json::Map;
use windlass_base::Digest;

use crate::context::{ArtifactRef, ContextPack, Delta, RunCount, SourceKind, artifact_item};

/// Fields of what changed that follow from the runs.
pub(super) const COUNTED: [&str; 5] = [
    "tests",
    "moreFailures",
    "moreFailuresAtMost",
    "failuresAtLeast",
    "runs",
];

/// What a pack says was run: as it says, or one run where it is not merged.
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

/// The files of results that a pack names.
fn results_of(pack: &ContextPack) -> Vec<ArtifactRef> {
    let items = pack.provenance.iter().flat_map(|it| &it.items);
    let told: BTreeSet<&str> = items
        .filter(|origin| origin.source.kind == SourceKind::Results)
        .map(|origin| origin.item.as_str())
        .collect();
    let named = pack.artifacts.iter();
    let named = named.filter(|it| told.contains(artifact_item(&it.reference).as_str()));
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

/// Stands for results of which no file is known: the same where the same is said.
fn unnamed(delta: &Delta) -> ArtifactRef {
    let said = (&delta.tests, &delta.more_failures, &delta.failures);
    let digest = Digest::of_json(&said).unwrap_or_else(|_| Digest::of_bytes(b""));
    ArtifactRef {
        reference: digest.to_string(),
        ..ArtifactRef::default()
    }
}
