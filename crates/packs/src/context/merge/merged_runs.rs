//! Counts the failures of merged packs.
//!
//! Just adding up counts will not do: if someone merges a pack twice, its failures would count
//! twice. So each results file keeps its own outcome (`RunCount`), and totals are computed from the
//! set of outcomes. This way, the order of merging does not matter either.

use std::collections::BTreeSet;

use serde_json::Map;
use windlass_base::Digest;

use crate::context::{ArtifactRef, ContextPack, Delta, RunCount, SourceKind, artifact_item};

/// Fields of a delta that are computed from the runs.
pub(super) const COUNTED: [&str; 5] = [
    "tests",
    "moreFailures",
    "moreFailuresAtMost",
    "failuresAtLeast",
    "runs",
];

/// The runs in a pack. A pack that was never merged has just one.
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

/// Makes up a results file for a pack that does not name one. It depends on the contents, so equal
/// results get the same name and count once.
fn unnamed(delta: &Delta) -> ArtifactRef {
    let contents = (&delta.tests, &delta.more_failures, &delta.failures);
    let digest = Digest::of_json(&contents).unwrap_or_else(|_| Digest::of_bytes(b""));
    ArtifactRef {
        reference: digest.to_string(),
        ..ArtifactRef::default()
    }
}
