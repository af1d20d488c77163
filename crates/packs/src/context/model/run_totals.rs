//! Adds up the tests and failures of several runs.
//!
//! If a test ran several times, it counts once. For that, we need the names of the tests, and not
//! every run has all of them. If some are missing, we give bounds instead of an exact number.

use std::collections::BTreeMap;

use windlass_base::canonical_json;
use windlass_results::TestCount;

use crate::context::{Delta, RunCount, TestNames};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Number of tests. This is `None` if we do not know it.
    pub(crate) tests: Option<TestCount>,
    /// Number of failures that are not listed. If `at_most` is set, this is only a lower bound.
    pub(crate) more: u64,
    /// Upper bound on the same number, if it differs from `more`.
    pub(crate) at_most: Option<u64>,
    /// Lower bound on all failures, if we do not know the exact number.
    pub(crate) at_least: Option<u64>,
}

impl Delta {
    /// Sets the runs, and counts each of their tests once. Add all failures before calling this,
    /// since the numbers depend on them.
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

/// Adds a run to `runs`, which is keyed by contents. Equal runs count as one. Only one of them may
/// have the names of its tests, so we keep these.
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

/// Adds up all runs, with each test counted once. `named` is the number of listed failures.
pub(crate) fn count(runs: &[&RunCount], named: u64) -> Count {
    // The numbers of a single run are exact, even without names.
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

/// The names of a run's tests. Returns `None` if they do not include all failures.
fn failing(run: &RunCount) -> Option<&TestNames> {
    let names = run.names.as_ref()?;
    let failed = run.tests.map_or(0, |tests| tests.failed as usize);
    let is_whole = names.bad() >= run.failures.saturating_add(run.more_failures)
        && names.failed.len() >= failed;
    is_whole.then_some(names)
}

/// True if we have a name for each test.
fn are_all_named(run: &RunCount) -> bool {
    let count = run.names.as_ref().map(TestNames::count).unwrap_or_default();
    match run.tests {
        Some(tests) => tests == count,
        None => count == TestCount::default(),
    }
}

/// Computes bounds on the number of failures, for runs whose failures are not all named. A failure
/// that one run does not name may be listed by another one, or be the same as one that is not named
/// there either.
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
