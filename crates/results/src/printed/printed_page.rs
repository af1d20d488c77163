//! The lines of what programs printed, and what was found in them so far.

use std::collections::BTreeSet;

use crate::in_short::{in_short, told};
use crate::places_in::places_in;
use crate::test_counts::Files;
use crate::{Failure, FailureKind, FileCount, NamedTest, Results, TestCount, TestOutcome};

/// The most failures that are told apart; of more, how many there are is known.
const MOST: usize = 2_000;

/// Lines that are read from the first to the last, and what they told.
pub(super) struct Page<'a> {
    lines: &'a [&'a str],
    at: usize,
    found: Results,
    count: TestCount,
    is_counted: bool,
    /// The files of the run that is read, whose tests are counted.
    files: Files,
    /// The program with tests whose lines are read, where that is said.
    suite: String,
    /// The file or task whose tests are told, where that is said and no part of their names.
    place: Option<String>,
    /// The program that reads.
    by: &'static str,
}

impl<'a> Page<'a> {
    pub(super) fn of(lines: &'a [&'a str]) -> Self {
        Self {
            lines,
            at: 0,
            found: Results::default(),
            count: TestCount::default(),
            is_counted: false,
            files: Files::default(),
            suite: String::new(),
            place: None,
            by: "",
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_more(&self) -> bool {
        self.at < self.lines.len()
    }

    /// Whether another line follows the one that is looked at: that which is the last may be cut.
    pub(super) fn is_followed(&self) -> bool {
        self.at + 1 < self.lines.len()
    }

    /// The line that is looked at; an empty one behind the last.
    pub(super) fn line(&self) -> &'a str {
        self.ahead(0)
    }

    /// The line that stands `count` lines behind the one that is looked at.
    pub(super) fn ahead(&self, count: usize) -> &'a str {
        self.lines.get(self.at + count).copied().unwrap_or_default()
    }

    /// The lines behind the one that is looked at.
    pub(super) fn behind(&self) -> &'a [&'a str] {
        self.lines.get(self.at + 1..).unwrap_or_default()
    }

    /// The line before the one that is looked at.
    pub(super) fn before(&self) -> &'a str {
        let before = self.at.checked_sub(1);
        before
            .and_then(|at| self.lines.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// Goes on to the next line.
    pub(super) fn pass(&mut self) {
        self.at += 1;
    }

    /// Goes back by so many lines.
    pub(super) fn back(&mut self, count: usize) {
        self.at = self.at.saturating_sub(count);
    }

    /// Takes the lines up to one that `is_end` knows, or to the last; goes on at that.
    pub(super) fn take_until(&mut self, is_end: impl Fn(&str) -> bool) -> &'a [&'a str] {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let count = rest
            .iter()
            .position(|line| is_end(line))
            .unwrap_or(rest.len());
        self.at += count;
        &rest[..count]
    }

    /// What is told from here on is told by `program`; by one that nobody knows where it is empty.
    pub(super) fn read_by(&mut self, program: &'static str) {
        self.by = program;
    }

    fn told(&mut self) {
        self.found.told_by(self.by);
    }

    /// That it is of a test or compiler.
    pub(super) fn recognise(&mut self) {
        self.told();
        self.found.is_recognised = true;
    }

    /// That not all was run, or not all of what was is told.
    pub(super) fn is_cut(&mut self) {
        self.found.is_broken_off = true;
    }

    /// What was run by `program` did not come to its end here: nobody knows whether the rest of it holds.
    pub(super) fn break_off(&mut self, program: &str, said: &str) {
        self.is_cut();
        self.told();
        let summary = match said {
            "" => "what it printed ends before it says how its tests went",
            said => said,
        };
        self.found.failures.push(Failure {
            id: format!("{program} did not end"),
            kind: FailureKind::Error,
            summary: in_short(summary),
            ..Failure::default()
        });
    }

    /// What follows is of the program `name`: another one may have tests of the same names.
    pub(super) fn of_suite(&mut self, name: &str) {
        name.clone_into(&mut self.suite);
    }

    /// Tests that are told from here on are of the file or task `place`: another one may have tests of the same names.
    pub(super) fn of_place(&mut self, place: Option<&str>) {
        self.place = place.map(str::to_owned);
    }

    /// That a test passed.
    pub(super) fn passed(&mut self, name: &str) {
        self.went(name, TestOutcome::Passed);
    }

    /// That a test was not run, or that it does not matter how it went.
    pub(super) fn skipped(&mut self, name: &str) {
        self.went(name, TestOutcome::Skipped);
    }

    /// That a test went in this way; one that fails is told by others.
    pub(super) fn went(&mut self, name: &str, outcome: TestOutcome) {
        self.told();
        let named = NamedTest::of(&self.suite, name, outcome);
        self.found.names.push(NamedTest {
            is_listed: outcome == TestOutcome::Failed,
            within: self.within(),
            ..named
        });
    }

    /// How many were named that are not among the failures.
    pub(super) fn named(&self) -> usize {
        self.found.names.len()
    }

    /// Says of those from the one at `first` on that they are of the program `name`.
    pub(super) fn named_from(&mut self, first: usize, name: &str) {
        let first = first.min(self.found.names.len());
        for named in &mut self.found.names[first..] {
            let key = NamedTest::of(name, &named.key, named.outcome).key;
            named.key = key;
            named.is_whole = true;
        }
    }

    /// Of failures from the one at `first` on, keeps those that `known` does not have, each once, and adds their names to it.
    pub(super) fn keep_new(&mut self, first: usize, known: &mut BTreeSet<String>) {
        let first = first.min(self.found.failures.len());
        let own = self.found.failures.split_off(first);
        let new = own.into_iter().filter(|it| known.insert(it.id.clone()));
        self.found.failures.extend(new);
    }

    /// That so many tests of the file `name` went so.
    pub(super) fn count_in(&mut self, name: &str, count: FileCount) {
        self.files.count(name, count);
    }

    /// How all tests of a run went.
    pub(super) fn count(&mut self, count: TestCount) {
        self.told();
        self.is_counted = true;
        let files = std::mem::take(&mut self.files);
        files.settle(count, &mut self.found.files);
        let all = &mut self.count;
        all.passed = all.passed.saturating_add(count.passed);
        all.failed = all.failed.saturating_add(count.failed);
        all.skipped = all.skipped.saturating_add(count.skipped);
    }

    /// That there were tests which nobody counts.
    pub(super) fn is_uncounted(&mut self) {
        self.found.is_uncounted = true;
    }

    /// How many failed, as far as that was counted.
    pub(super) fn failed(&self) -> u32 {
        self.count.failed
    }

    /// Takes note of failures that were counted and not told. Where none is, one stands for all: which they are is not said in a way that
    /// is known, and that they are must not be lost.
    pub(super) fn settle(&mut self) {
        if self.found.unnamed == 0 && self.is_all_well() {
            self.stand_in(self.count.failed, "which tests failed is not said here");
        } else if self.found.failures.len() < MOST {
            let told = u32::try_from(self.found.failures.len()).unwrap_or(u32::MAX);
            let unnamed = self.count.failed.saturating_sub(told);
            self.found.unnamed = self.found.unnamed.max(unnamed);
        }
    }

    /// Adds a failure that stands for `count` tests that failed and are not named.
    pub(super) fn stand_in(&mut self, count: u32, said: &str) {
        if count > 0 {
            self.found.unnamed = self.found.unnamed.saturating_add(count);
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

    /// Whether nothing is known that fails.
    pub(super) fn is_all_well(&self) -> bool {
        self.found.failures.is_empty()
    }

    /// How many failures are known.
    pub(super) fn failures(&self) -> usize {
        self.found.failures.len()
    }

    /// Failures that are known from the one at `first` on.
    pub(super) fn failures_from(&mut self, first: usize) -> &mut [Failure] {
        let first = first.min(self.found.failures.len());
        &mut self.found.failures[first..]
    }

    /// Drops failures from the one at `first` on that are not to be kept.
    pub(super) fn retain_from(&mut self, first: usize, is_kept: impl Fn(&Failure) -> bool) {
        let mut at = 0;
        self.found.failures.retain(|failure| {
            at += 1;
            at <= first || is_kept(failure)
        });
    }

    /// Adds a failure; of more than are told apart, its name.
    pub(super) fn add(&mut self, failure: Failure) {
        self.told();
        if self.found.failures.len() < MOST {
            let (suite, within) = (self.suite.clone(), self.within());
            self.found.failures.push(Failure {
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
            self.found.names.push(NamedTest {
                within: self.within(),
                ..named
            });
        }
    }

    /// Where a test whose lines are read stands.
    fn within(&self) -> Vec<String> {
        let suite = Some(self.suite.clone()).filter(|name| !name.is_empty());
        suite.or_else(|| self.place.clone()).into_iter().collect()
    }

    /// A failure of which only the name is known so far.
    pub(super) fn name(&mut self, name: &str) {
        // Where there are too many, looking through them for each would take for ever.
        let is_full = self.found.failures.len() >= MOST;
        let is_it = |it: &Failure| it.id == name && it.suite == self.suite;
        if is_full || !self.found.failures.iter().any(is_it) {
            self.add(Failure {
                id: name.to_owned(),
                ..Failure::default()
            });
        }
    }

    /// A test that fails, and what is said of it.
    pub(super) fn fail(&mut self, name: &str, said: &str) {
        self.tell(name, said, FailureKind::Test);
    }

    /// Something that fails, and what is said of it. One that was only named is filled; what was said already is not said again.
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

    /// A test that fails, and the line that stands for all that is said of it.
    pub(super) fn fail_as(&mut self, name: &str, summary: &str, said: &str) {
        let (first, detail) = told(said);
        self.put(Failure {
            id: name.to_owned(),
            summary: match summary.trim() {
                "" => first,
                summary => in_short(summary),
            },
            detail: detail.or_else(|| {
                Some(said.trim().to_owned()).filter(|it| !it.is_empty() && it != summary.trim())
            }),
            places: places_in(said),
            ..Failure::default()
        });
    }

    /// As [`Page::tell`], of a failure that was put together already.
    fn put(&mut self, failure: Failure) {
        if self.found.failures.len() >= MOST {
            return self.add(failure);
        }
        let mut same = self
            .found
            .failures
            .iter_mut()
            .filter(|it| it.id == failure.id && it.suite == self.suite);
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

    /// What was found in all of it.
    pub(super) fn found(self) -> Results {
        Results {
            tests: self.is_counted.then_some(self.count),
            ..self.found
        }
    }
}

/// Whether only the name of a failure is known.
pub(super) fn is_bare(failure: &Failure) -> bool {
    failure.summary.is_empty() && failure.detail.is_none()
}

/// How far a line is moved in, in characters.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
