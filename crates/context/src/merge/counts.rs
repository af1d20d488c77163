//! How many fail, where packs are merged.
//!
//! What each file of results said stays apart (`RunCount`), so that a count follows from the set of them, whichever came first.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use windlass_base::Digest;

use super::said::Parts;
use crate::count::count;
use crate::items::is_failure;
use crate::{ArtifactRef, ContextPack, Delta, RunCount, SourceKind, artifact_item};

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

impl Parts {
    /// Writes into `delta` how many fail by all runs together.
    pub(super) fn count(&self, delta: &mut Map<String, Value>) {
        let runs: Vec<&RunCount> = self.runs.values().collect();
        if runs.is_empty() {
            return;
        }
        let named = self.said.keys().filter(|item| is_failure(item)).count() as u64;
        let count = count(&runs, named);
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                delta.insert(name.to_owned(), value);
            }
        };
        put("runs", serde_json::to_value(&runs).ok());
        put("moreFailures", (count.more > 0).then(|| count.more.into()));
        put("moreFailuresAtMost", count.at_most.map(Value::from));
        put("failuresAtLeast", count.at_least.map(Value::from));
        let tests = count
            .tests
            .and_then(|tests| serde_json::to_value(tests).ok());
        put("tests", tests);
    }
}
