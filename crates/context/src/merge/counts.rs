//! How many fail, where packs are merged whose lists of failures end somewhere.
//!
//! What each file of results said stays apart (`RunCount`), so that a count follows from the set of them, whichever came first. Runs
//! are added up where nothing can be in two of them. Else it is told how many there are at least.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use windlass_base::Digest;

use super::said::Parts;
use crate::items::is_failure;
use crate::{ArtifactRef, ContextPack, Delta, RunCount, SourceKind, TestCount, artifact_item};

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
        let mut put = |name: &str, value: Value| delta.insert(name.to_owned(), value);
        let runs: Vec<&RunCount> = self.runs.values().collect();
        if runs.is_empty() {
            return;
        }
        put("runs", serde_json::to_value(&runs).unwrap_or_default());
        let named = self.said.keys().filter(|item| is_failure(item)).count() as u64;
        let total = |run: &&RunCount| run.failures.saturating_add(run.more_failures);
        // What one run leaves out, another one may name, or leave out as well.
        let at_most = runs
            .iter()
            .fold(0_u64, |sum, run| sum.saturating_add(run.more_failures));
        let at_least = runs.iter().map(total).max().unwrap_or_default();
        let more = match runs[..] {
            [only] => only.more_failures,
            _ => at_least.saturating_sub(named).min(at_most),
        };
        if more > 0 {
            put("moreFailures", more.into());
        }
        if runs.len() > 1 && more < at_most {
            put("moreFailuresAtMost", at_most.into());
        }
        if runs.len() == 1 || (at_most == 0 && self.is_each_apart(&runs)) {
            let counts: Vec<TestCount> = runs.iter().filter_map(|run| run.tests).collect();
            if let Some(sum) = counts.into_iter().reduce(added) {
                put("tests", serde_json::to_value(sum).unwrap_or_default());
            }
        } else {
            put("failuresAtLeast", named.saturating_add(more).into());
        }
    }

    /// Whether no test can be in two of the runs: each is of other files, and nothing fails in two of them.
    fn is_each_apart(&self, runs: &[&RunCount]) -> bool {
        let mut files = BTreeSet::new();
        let mut results = runs.iter().flat_map(|run| &run.results);
        if !results.all(|one| one.sha256.is_some() && files.insert(&one.reference)) {
            return false;
        }
        let mut failing = self.origins.iter().filter(|(item, _)| is_failure(item));
        failing.all(|(_, origins)| origins.len() < 2)
    }
}

fn added(one: TestCount, other: TestCount) -> TestCount {
    TestCount {
        passed: one.passed.saturating_add(other.passed),
        failed: one.failed.saturating_add(other.failed),
        skipped: one.skipped.saturating_add(other.skipped),
    }
}
