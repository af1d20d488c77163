//! Results found so far in printed output.

use std::collections::BTreeSet;

use crate::in_short::{in_short, told};
use crate::places_in::places_in;
use crate::test_counts::Files;
use crate::{Failure, FailureKind, FileCount, NamedTest, Results, TestCount, TestOutcome};

/// Maximum number of failures with details. For further ones, we only keep the names.
const MAX_FAILURES: usize = 2_000;

/// The results of the lines read so far.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) results: Results,
    count: TestCount,
    is_counted: bool,
    /// Files of the current run whose tests are counted.
    files: Files,
    /// The current test program, if reported.
    suite: String,
    /// The file or task of the current tests, if it's reported separately from their names.
    place: Option<String>,
    /// The program whose rules we're using.
    by: &'static str,
}

impl Findings {
    /// Notes that `program` has printed the next lines, or an unknown program if the name is empty.
    pub(super) fn read_by(&mut self, program: &'static str) {
        self.by = program;
    }

    fn told(&mut self) {
        self.results.told_by(self.by);
    }

    /// Notes that the text comes from a test runner or compiler.
    pub(super) fn recognise(&mut self) {
        self.told();
        self.results.is_recognised = true;
    }

    /// Notes that `program` was interrupted, so its remaining tests may fail.
    pub(super) fn break_off(&mut self, program: &str, said: &str) {
        self.results.is_broken_off = true;
        self.told();
        let summary = match said {
            "" => "what it printed ends before it says how its tests went",
            said => said,
        };
        self.results.failures.push(Failure {
            id: format!("{program} did not end"),
            kind: FailureKind::Error,
            summary: in_short(summary),
            ..Failure::default()
        });
    }

    /// Notes that the following lines belong to the program `name`, since another one may have
    /// tests of the same names.
    pub(super) fn of_suite(&mut self, name: &str) {
        name.clone_into(&mut self.suite);
    }

    /// Notes that the following tests are in the file or task `place`, since another one may have
    /// tests of the same names.
    pub(super) fn of_place(&mut self, place: Option<&str>) {
        self.place = place.map(str::to_owned);
    }

    /// Records the outcome of a test. If it failed, other lines report the failure.
    pub(super) fn went(&mut self, name: &str, outcome: TestOutcome) {
        self.told();
        let named = NamedTest::of(&self.suite, name, outcome);
        self.results.names.push(NamedTest {
            is_listed: outcome == TestOutcome::Failed,
            within: self.within(),
            ..named
        });
    }

    /// Returns the number of failures, and the number of tests known by name only.
    pub(super) fn known(&self) -> (usize, usize) {
        (self.results.failures.len(), self.results.names.len())
    }

    /// Assigns the names from index `first` on to the package `name`.
    pub(super) fn named_from(&mut self, first: usize, name: &str) {
        let first = first.min(self.results.names.len());
        for named in &mut self.results.names[first..] {
            named.key = NamedTest::of(name, &named.key, named.outcome).key;
            named.is_whole = true;
        }
    }

    /// Keeps each failure from index `first` on once, unless it's in `known`, and adds its name
    /// there.
    pub(super) fn keep_new(&mut self, first: usize, known: &mut BTreeSet<String>) {
        let first = first.min(self.results.failures.len());
        let own = self.results.failures.split_off(first);
        let new = own.into_iter().filter(|it| known.insert(it.id.clone()));
        self.results.failures.extend(new);
    }

    /// Counts tests of the file `name`.
    pub(super) fn count_in(&mut self, name: &str, count: FileCount) {
        self.files.count(name, count);
    }

    /// Counts all tests of a run.
    pub(super) fn count(&mut self, count: TestCount) {
        self.told();
        self.is_counted = true;
        let files = std::mem::take(&mut self.files);
        files.settle(count, &mut self.results.files);
        let all = &mut self.count;
        all.passed = all.passed.saturating_add(count.passed);
        all.failed = all.failed.saturating_add(count.failed);
        all.skipped = all.skipped.saturating_add(count.skipped);
    }

    /// Adds a failure that stands for `count` failed tests without names.
    pub(super) fn stand_in(&mut self, count: u32, said: &str) {
        if count > 0 {
            self.results.unnamed = self.results.unnamed.saturating_add(count);
            self.add(Failure {
                id: match count {
                    1 => "1 failed test".to_owned(),
                    _ => format!("{count} failed tests"),
                },
                summary: said.to_owned(),
                ..Failure::default()
            });
        }
    }

    /// True if we know no failure.
    pub(super) fn is_all_well(&self) -> bool {
        self.results.failures.is_empty()
    }

    /// True if we know a failure of that name.
    pub(super) fn has(&self, id: &str) -> bool {
        self.results.failures.iter().any(|it| it.id == id)
    }

    /// Returns the failures from index `first` on.
    pub(super) fn failures_from(&mut self, first: usize) -> &mut [Failure] {
        let first = first.min(self.results.failures.len());
        &mut self.results.failures[first..]
    }

    /// Adds a failure, or just its name beyond the maximum.
    fn add(&mut self, failure: Failure) {
        self.told();
        if self.results.failures.len() < MAX_FAILURES {
            let (suite, within) = (self.suite.clone(), self.within());
            self.results.failures.push(Failure {
                suite,
                within,
                ..failure
            });
        } else {
            let outcome = match failure.kind {
                FailureKind::Test => TestOutcome::Failed,
                FailureKind::Error => TestOutcome::Error,
            };
            let named = NamedTest::of(&self.suite, &failure.id, outcome);
            self.results.names.push(NamedTest {
                within: self.within(),
                ..named
            });
        }
    }

    /// Adds a failure unless an equal one has the same name.
    pub(super) fn add_new(&mut self, failure: Failure) {
        let mut known = self.results.failures.iter();
        if !known.any(|it| it.id == failure.id && it.summary == failure.summary) {
            self.add(failure);
        }
    }

    /// Returns the current test's location in the report.
    fn within(&self) -> Vec<String> {
        let suite = Some(self.suite.clone()).filter(|name| !name.is_empty());
        suite.or_else(|| self.place.clone()).into_iter().collect()
    }

    /// Adds a failure that we know only by name so far.
    pub(super) fn name(&mut self, name: &str) {
        // Don't search a full list for each new failure, which would be quadratic.
        let is_full = self.results.failures.len() >= MAX_FAILURES;
        let is_it = |it: &Failure| it.id == name && it.suite == self.suite;
        if is_full || !self.results.failures.iter().any(is_it) {
            self.add(Failure {
                id: name.to_owned(),
                ..Failure::default()
            });
        }
    }

    /// Adds a failed test. `summary`, unless empty, summarises its output `said`.
    pub(super) fn fail(&mut self, name: &str, summary: &str, said: &str) {
        match summary.trim().is_empty() {
            true => self.tell(name, said, FailureKind::Test),
            false => self.put(failed(name, summary, said)),
        }
    }

    /// Adds a failed test like [`Self::fail`]; the line with its summary names `place`.
    pub(super) fn fail_at(&mut self, name: &str, summary: &str, said: &str, place: &str) {
        let mut failure = failed(name, summary, said);
        failure.places = places_in(&format!("{place}: error\n{said}"));
        self.put(failure);
    }

    /// Adds a failure with its message. If we know the failure by name only, the message completes
    /// it. A repeated message is dropped.
    pub(super) fn tell(&mut self, name: &str, said: &str, kind: FailureKind) {
        if said.trim().is_empty() {
            return self.name(name);
        }
        let (summary, detail) = told(said);
        self.put(Failure {
            id: name.to_owned(),
            kind,
            summary,
            detail,
            places: places_in(said),
            ..Failure::default()
        });
    }

    fn put(&mut self, failure: Failure) {
        if self.results.failures.len() >= MAX_FAILURES {
            return self.add(failure);
        }
        let of_name = |it: &&mut Failure| it.id == failure.id && it.suite == self.suite;
        let mut same = self.results.failures.iter_mut().filter(of_name);
        let is_told = |it: &Failure| it.summary == failure.summary && it.detail == failure.detail;
        match same.find(|it| is_bare(it) || is_told(it)) {
            Some(known) if is_bare(known) => {
                let suite = std::mem::take(&mut known.suite);
                let within = std::mem::take(&mut known.within);
                *known = Failure {
                    suite,
                    within,
                    ..failure
                };
            }
            Some(_) => {}
            None => self.add(failure),
        }
    }

    /// Returns the results. If failures were only counted, one failure stands for all, so that they
    /// don't get lost.
    pub(super) fn settled(mut self) -> Results {
        self.by = "";
        if self.results.unnamed == 0 && self.is_all_well() {
            self.stand_in(self.count.failed, "which tests failed is not said here");
        } else if self.results.failures.len() < MAX_FAILURES {
            let told = u32::try_from(self.results.failures.len()).unwrap_or(u32::MAX);
            let unnamed = self.count.failed.saturating_sub(told);
            self.results.unnamed = self.results.unnamed.max(unnamed);
        }
        Results {
            tests: self.is_counted.then_some(self.count),
            ..self.results
        }
    }
}

fn failed(name: &str, summary: &str, said: &str) -> Failure {
    let (_, detail) = told(said);
    let is_more = |it: &String| !it.is_empty() && it != summary.trim();
    Failure {
        id: name.to_owned(),
        summary: in_short(summary),
        detail: detail.or_else(|| Some(said.trim().to_owned()).filter(is_more)),
        places: places_in(said),
        ..Failure::default()
    }
}

/// True if we know only the name of a failure.
pub(super) fn is_bare(failure: &Failure) -> bool {
    failure.summary.is_empty() && failure.detail.is_none()
}
