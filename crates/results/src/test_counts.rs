//! Counts of tests, in total and by file. Some reports don't name the tests in a file and give only
//! a row of dots or a number.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of tests by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCount {
    /// Number of passed tests.
    pub passed: u32,
    /// Number of failed tests.
    pub failed: u32,
    /// Number of tests that were not run.
    pub skipped: u32,
}

impl TestCount {
    /// Returns the number of all tests.
    #[must_use]
    pub fn all(self) -> u32 {
        let run = self.passed.saturating_add(self.failed);
        run.saturating_add(self.skipped)
    }
}

/// The number of tests in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCount {
    /// Number of passed tests.
    pub passed: u32,
    /// Number of all other tests: failed, not run, or with an unexpected outcome.
    pub others: u32,
}

impl FileCount {
    /// Returns the number of all tests.
    #[must_use]
    pub fn all(self) -> u32 {
        self.passed.saturating_add(self.others)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.others = self.others.saturating_add(other.others);
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files(BTreeMap<String, FileCount>);

impl Files {
    pub(super) fn count(&mut self, name: &str, count: FileCount) {
        self.0.entry(name.to_owned()).or_default().add(count);
    }

    /// Adds the counts of a run to `known`, unless they differ from the run's total `count`.
    ///
    /// Counts that don't add up to the total can't be trusted. We see such counts if tests print
    /// something between their dots, or if the report doesn't name the file of skipped tests.
    pub(super) fn settle(self, count: TestCount, known: &mut BTreeMap<String, FileCount>) {
        let mut sum = FileCount::default();
        for one in self.0.values() {
            sum.add(*one);
        }
        if sum.passed != count.passed || sum.all() != count.all() {
            return;
        }
        for (name, one) in self.0 {
            known.entry(name).or_default().add(one);
        }
    }
}

/// Returns the file that a test's name begins with: `a.py` for `a.py::test_b`, or `a.ts` for `a.ts
/// > suite > name`.
#[must_use]
pub fn file_of_test(name: &str) -> Option<&str> {
    let (file, _) = name.split_once("::").or_else(|| name.split_once(" > "))?;
    file.contains('.').then_some(file)
}
