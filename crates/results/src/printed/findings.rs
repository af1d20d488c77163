//! Collects the results found in printed output.

use std::collections::BTreeSet;

use crate::in_short::{in_short, told};
use crate::places_in::places_in;
use crate::test_counts::Files;
use crate::{Failure, FailureKind, FileCount, NamedTest, Results, TestCount, TestOutcome};

/// Failures to keep with their details. Of further ones, only the names are kept.
const MAX_FAILURES: usize = 2_000;

#[derive(Default)]
pub(super) struct Findings {
    pub(super) results: Results,
    count: TestCount,
    is_counted: bool,
    /// Test files counted in the current run.
    files: Files,
    /// The current test program, if reported.
    suite: String,
    /// The file or task of the current tests, if it is reported apart from their names.
    place: Option<String>,
    /// The program whose rules have matched, or an empty name.
    by: &'static str,
}

impl Findings {
    /// Attributes the next lines to `program`. The name is empty if several programs print them.
    pub(super) fn read_by(&mut self, program: &'static str) {
        self.by = program;
    }

    fn told(&mut self) {
        self.results.told_by(self.by);
    }

    pub(super) fn recognise(&mut self) {
        self.told();
        self.results.is_recognised = true;
    }

    /// Marks the run of `program` as interrupted, so its remaining tests may have failed.
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

    /// Attributes the following lines to the program `name`. Tests of other programs may have the
    /// same names.
    pub(super) fn of_suite(&mut self, name: &str) {
        name.clone_into(&mut self.suite);
    }

    /// Attributes the following tests to the file or task `place`, because tests of the same names
    /// may be in others.
    pub(super) fn of_place(&mut self, place: Option<&str>) {
        self.place = place.map(str::to_owned);
    }

    /// Records the outcome of a test. A failure itself is reported by other lines.
    pub(super) fn went(&mut self, name: &str, outcome: TestOutcome) {
        self.told();
        let named = NamedTest::of(&self.suite, name, outcome);
        self.results.names.push(NamedTest {
            is_listed: outcome == TestOutcome::Failed,
            within: self.within(),
            ..named
        });
    }

    pub(super) fn known(&self) -> (usize, usize) {
        (self.results.failures.len(), self.results.names.len())
    }

    /// Assigns the tests named from index `first` on to the package `name`.
    pub(super) fn named_from(&mut self, first: usize, name: &str) {
        let first = first.min(self.results.names.len());
        for named in &mut self.results.names[first..] {
            named.key = NamedTest::of(name, &named.key, named.outcome).key;
            named.is_whole = true;
        }
    }

    /// Removes the failures from index `first` on whose names are in `known`, and adds the names of
    /// the remaining ones there.
    pub(super) fn keep_new(&mut self, first: usize, known: &mut BTreeSet<String>) {
        let first = first.min(self.results.failures.len());
        let own = self.results.failures.split_off(first);
        let new = own.into_iter().filter(|it| known.insert(it.id.clone()));
        self.results.failures.extend(new);
    }

    pub(super) fn count_in(&mut self, name: &str, count: FileCount) {
        self.files.count(name, count);
    }

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

    pub(super) fn is_all_well(&self) -> bool {
        self.results.failures.is_empty()
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.results.failures.iter().any(|it| it.id == id)
    }

    pub(super) fn failures_from(&mut self, first: usize) -> &mut [Failure] {
        let first = first.min(self.results.failures.len());
        &mut self.results.failures[first..]
    }

    /// Adds a failure, or only its name if there are too many.
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

    /// Adds a failure unless one with the same name and summary has been found.
    pub(super) fn add_new(&mut self, failure: Failure) {
        let mut known = self.results.failures.iter();
        if !known.any(|it| it.id == failure.id && it.summary == failure.summary) {
            self.add(failure);
        }
    }

    /// Returns the program of the current test, or else its file or task.
    fn within(&self) -> Vec<String> {
        let suite = Some(self.suite.clone()).filter(|name| !name.is_empty());
        suite.or_else(|| self.place.clone()).into_iter().collect()
    }

    /// Adds a failure of which only the name is known so far.
    pub(super) fn name(&mut self, name: &str) {
        // Searching a full list for every further failure would take quadratic time.
        let is_full = self.results.failures.len() >= MAX_FAILURES;
        let is_it = |it: &Failure| it.id == name && it.suite == self.suite;
        if is_full || !self.results.failures.iter().any(is_it) {
            self.add(Failure {
                id: name.to_owned(),
                ..Failure::default()
            });
        }
    }

    /// Adds a failed test with the output `said`. An empty `summary` is derived from the output.
    pub(super) fn fail(&mut self, name: &str, summary: &str, said: &str) {
        match summary.trim().is_empty() {
            true => self.tell(name, said, FailureKind::Test),
            false => self.put(failed(name, summary, said)),
        }
    }

    pub(super) fn fail_at(&mut self, name: &str, summary: &str, said: &str, place: &str) {
        let mut failure = failed(name, summary, said);
        failure.places = places_in(&format!("{place}: error\n{said}"));
        self.put(failure);
    }

    /// Adds a failure with its message.
    ///
    /// If only its name is known so far, the message completes it. A repeated message is dropped.
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
                // Keep the program and the location that came with the name.
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

    /// Returns the results.
    ///
    /// If failures were counted but not reported, one failure stands for all of them, because a
    /// failure must never get lost.
    pub(super) fn settled(mut self) -> Results {
        // The counts may come from several programs, so a failure that's added below belongs to
        // none of them.
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

/// Returns true if only the name of a failure is known.
pub(super) fn is_bare(failure: &Failure) -> bool {
    failure.summary.is_empty() && failure.detail.is_none()
}
