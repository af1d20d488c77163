//! Totals the tests and failures of several runs.
//!
//! A test that ran several times counts once. That takes the names of the tests, which a run may
//! not have in full. In that case we give bounds instead of an exact number.

use std::collections::BTreeMap;

use windlass_base::canonical_json;
use windlass_results::TestCount;

use crate::context::{Delta, RunCount, TestNames};

/// Totals over several runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Number of tests, or `None` if unknown.
    pub(crate) tests: Option<TestCount>,
    /// Number of unlisted failures. If `at_most` is set, this is a lower bound.
    pub(crate) more: u64,
    /// Upper bound on the unlisted failures, if it differs from `more`.
    pub(crate) at_most: Option<u64>,
    /// Lower bound on all failures, if the exact number is unknown.
    pub(crate) at_least: Option<u64>,
}

impl Delta {
    /// Records `runs` and counts their tests and failures, each test once. Call it only after the
    /// list of failures is complete.
    pub fn count(&mut self, runs: Vec<RunCount>) {
        let mut known = BTreeMap::new();
        for run in runs {
            add_run(&mut known, run);
        }
        self.runs = known.into_values().collect();
        if self.runs.is_empty() {
            return;
        }
        let runs: Vec<&RunCount> = self.runs.iter().collect();
        let count = count(&runs, self.failures.len() as u64);
        self.tests = count.tests;
        self.more_failures = (count.more > 0).then_some(count.more);
        self.more_failures_at_most = count.at_most;
        self.failures_at_least = count.at_least;
    }
}

/// Adds `run` to `runs`, which are keyed by their contents. If an equal run is already there, we
/// keep its test names.
pub(crate) fn add_run(runs: &mut BTreeMap<Vec<u8>, RunCount>, run: RunCount) {
    let mut plain = run.clone();
    plain.names = None;
    let key = serde_json::to_value(&plain).ok();
    let key = key.and_then(|value| canonical_json(&value).ok());
    let known = runs
        .entry(key.unwrap_or_default())
        .or_insert_with(|| run.clone());
    if known.names.is_none() {
        known.names = run.names;
    }
}

/// Returns the totals of `runs`, counting each test once. `named` is the number of listed failures.
pub(crate) fn count(runs: &[&RunCount], named: u64) -> Count {
    if let [only] = runs {
        return Count {
            tests: only.tests,
            more: only.more_failures,
            ..Count::default()
        };
    }
    let all: Option<Vec<&TestNames>> = runs.iter().map(|run| failing(run)).collect();
    match all {
        Some(all) => {
            let first = TestNames::default();
            let joined = all.into_iter().fold(first, TestNames::joined);
            let is_whole = runs.iter().all(|run| are_all_named(run));
            Count {
                tests: is_whole.then(|| joined.count()),
                more: joined.unlisted.len() as u64,
                ..Count::default()
            }
        }
        None => between(runs, named),
    }
}

/// Returns the test names of `run`, or `None` if they don't cover all its failures.
fn failing(run: &RunCount) -> Option<&TestNames> {
    let names = run.names.as_ref()?;
    let failed = run.tests.map_or(0, |tests| tests.failed as usize);
    let is_whole = names.bad() >= run.failures.saturating_add(run.more_failures)
        && names.failed.len() >= failed;
    is_whole.then_some(names)
}

/// Returns true if `run` names every one of its tests.
fn are_all_named(run: &RunCount) -> bool {
    let count = run.names.as_ref().map(TestNames::count).unwrap_or_default();
    match run.tests {
        Some(tests) => tests == count,
        None => count == TestCount::default(),
    }
}

/// Returns bounds on the number of failures for runs that don't name all of them. A failure omitted
/// by one run may be listed by another, or be omitted there too.
fn between(runs: &[&RunCount], named: u64) -> Count {
    let total = |run: &&RunCount| run.failures.saturating_add(run.more_failures);
    let at_most = runs
        .iter()
        .fold(0_u64, |sum, run| sum.saturating_add(run.more_failures));
    let at_least = runs.iter().map(total).max().unwrap_or_default();
    let more = at_least.saturating_sub(named).min(at_most);
    Count {
        tests: None,
        more,
        at_most: (more < at_most).then_some(at_most),
        at_least: (at_most > 0).then(|| named.saturating_add(more)),
    }
}
