//! Tests of go test, by package. With `-v`, all tests are named, even passed ones, and the output
//! of a test is separate from its outcome.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::is_bare;
use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::{Verb, rule_of};
use crate::{Failure, TestCount, TestOutcome};

#[derive(Default)]
pub(super) struct Go {
    package: Package,
    /// True if all tests are named, as with `-v`. They can be counted one by one then.
    is_loud: bool,
    /// Outcome of each test by its whole name: the worst one, if a test was run again.
    went: BTreeMap<String, TestOutcome>,
    /// Whole names of all failed tests.
    told: BTreeSet<String>,
}

#[derive(Default)]
struct Package {
    /// With `-v`, the test that prints the current lines.
    current: Option<String>,
    /// Output of tests whose outcome has not been printed yet.
    printed: BTreeMap<String, Vec<String>>,
    running: BTreeSet<String>,
    /// Output that belongs to no test, such as a panic.
    loose: Vec<String>,
    has_failed: bool,
    ended: Vec<(String, TestOutcome)>,
}

impl Own for Go {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        match verb {
            Verb::Begun => {
                let name = hit.name();
                if hit.any(&["run"]).is_some() {
                    self.package.running.insert(name.clone());
                }
                self.package.current = Some(name);
                sheet.open();
                sheet.found.recognise();
            }
            Verb::Ended => self.end_test(hit, sheet),
            Verb::PackageFailed => self.end_failed(hit, sheet),
            Verb::PackagePassed => {
                sheet.found.recognise();
                let is_told = self.is_loud || hit.line.contains("[no tests to run]");
                if hit.any(&["ok"]).is_some() && !is_told {
                    sheet.found.results.is_uncounted = true;
                }
                if sheet.state.is_open {
                    self.count_package(hit.get("package"), sheet);
                }
                self.close(sheet);
            }
            Verb::ProgramEnded => self.end_program(hit, sheet),
            Verb::Panicked => {
                let said = [hit.line, sheet.block(hit.rule)].join("\n");
                self.package.loose.push(said);
                sheet.open();
            }
            _ => return false,
        }
        true
    }

    fn other(&mut self, sheet: &mut Sheet<'_, '_>) -> bool {
        let Some(name) = &self.package.current else {
            return false;
        };
        let said = self.package.printed.entry(name.clone()).or_default();
        said.push(sheet.lines.line().to_owned());
        sheet.lines.pass(1);
        true
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        if std::mem::take(&mut sheet.state.is_open) {
            self.break_off("", sheet);
        }
        self.count_program(sheet);
        for outcome in std::mem::take(&mut self.went).into_values() {
            sheet.found.count(one(outcome));
        }
    }
}

impl Go {
    fn close(&mut self, sheet: &mut Sheet<'_, '_>) {
        self.package = Package::default();
        sheet.state.is_open = false;
    }

    /// Ends a test. Indented lines below its outcome were printed by the test and its subtests.
    fn end_test(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        let name = &hit.name();
        let outcome = hit.outcome().unwrap_or(TestOutcome::Failed);
        let package = &mut self.package;
        // Passed tests are named only with `-v`, and without them there is nothing to count.
        let is_counted = package.current.is_some() || package.running.contains(name);
        sheet.open();
        sheet.found.recognise();
        package.current = package.current.take().map(|_| name.clone());
        package.running.remove(name);
        let mut said = package.printed.remove(name).unwrap_or_default();
        said.extend(sheet.block(hit.rule).lines().map(str::to_owned));
        if outcome == TestOutcome::Failed {
            // A panic ends the whole test program, so the lines up to the next package belong to
            // it.
            if sheet.lines.line().starts_with("panic: ") {
                let panic = sheet.lines.take_until(|line| line.starts_with("FAIL\t"));
                said.push(panic.to_owned());
            }
            package.has_failed = true;
            sheet.found.fail(name, "", &said.join("\n"));
        }
        self.is_loud |= is_counted;
        sheet.found.results.is_uncounted |= !is_counted;
        if is_counted {
            if outcome != TestOutcome::Failed {
                sheet.found.went(name, outcome);
            }
            package.ended.push((name.clone(), outcome));
        }
    }

    /// Adds the outcomes of tests in `package`. A test that was run before isn't counted again.
    fn count_package(&mut self, package: &str, sheet: &mut Sheet<'_, '_>) {
        sheet.found.named_from(sheet.state.first.1, package);
        for (name, outcome) in std::mem::take(&mut self.package.ended) {
            let known = self.went.entry(format!("{package}.{name}"));
            let known = known.or_insert(outcome);
            if weight(outcome) > weight(*known) {
                *known = outcome;
            }
        }
    }

    /// Counts tests of an unknown package.
    fn count_program(&mut self, sheet: &mut Sheet<'_, '_>) {
        for (_, outcome) in std::mem::take(&mut self.package.ended) {
            sheet.found.count(one(outcome));
        }
    }

    /// Ends a package: `FAIL\texample.org/a\t0.01s`, `FAIL\texample.org/a [build failed]`.
    fn end_failed(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        sheet.found.recognise();
        let package = hit.get("package");
        let rest = hit.line.strip_prefix("FAIL\t").unwrap_or_default();
        if rest.ends_with("failed]") {
            sheet.found.fail(rest, "", rest);
        } else if !self.package.running.is_empty() || !self.package.has_failed {
            self.break_off(package, sheet);
        }
        if sheet.state.is_open {
            let first = sheet.state.first.0;
            of_package(package, first, sheet);
            sheet.found.keep_new(first, &mut self.told);
            self.count_package(package, sheet);
        }
        self.close(sheet);
    }

    /// Ends a test program that was started directly, without go test.
    fn end_program(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        sheet.found.recognise();
        // If this is a run of `go test`, its next line names the package.
        let line = sheet.lines.line();
        let of_go = ["FAIL\t", "exit status", "ok  \t", "coverage:"];
        if of_go.iter().any(|begin| line.starts_with(begin)) {
            return;
        }
        if hit.outcome().is_some() && !self.package.has_failed {
            self.break_off("", sheet);
        }
        drop_parents(sheet.state.first.0, sheet);
        self.count_program(sheet);
        self.close(sheet);
    }

    /// Records that the program ended in a way that can't be the end of a test.
    fn break_off(&mut self, package: &str, sheet: &mut Sheet<'_, '_>) {
        let running = &self.package.running;
        let name = match (package, running.first()) {
            ("", None) => "go test did not end".to_owned(),
            ("", Some(test)) => format!("{test} did not end"),
            (package, None) => package.to_owned(),
            (package, Some(test)) => format!("{package}: {test} did not end"),
        };
        let mut said = std::mem::take(&mut self.package.loose);
        for test in running {
            said.extend(self.package.printed.get(test).cloned().unwrap_or_default());
        }
        let said = said.join("\n");
        let said = match said.trim() {
            "" => "what it printed ends before it says how its tests went",
            _ => &said,
        };
        sheet.found.results.is_broken_off = true;
        sheet.found.fail(&name, "", said);
    }
}

fn one(outcome: TestOutcome) -> TestCount {
    let is = |wanted| u32::from(outcome == wanted);
    TestCount {
        passed: is(TestOutcome::Passed),
        failed: is(TestOutcome::Failed),
        skipped: is(TestOutcome::Skipped),
    }
}

/// Returns the precedence of an outcome if a test was run several times. A failure comes before a
/// pass, and a pass before a skip.
fn weight(outcome: TestOutcome) -> u32 {
    match outcome {
        TestOutcome::Skipped => 0,
        TestOutcome::Passed => 1,
        TestOutcome::Failed | TestOutcome::Error => 2,
    }
}

/// Assigns the failures from `first` on to their package, because tests of several packages may
/// have the same names, and file names are relative to the package's folder.
fn of_package(package: &str, first: usize, sheet: &mut Sheet<'_, '_>) {
    drop_parents(first, sheet);
    for failure in sheet.found.failures_from(first) {
        if !failure.id.starts_with(package) {
            failure.id = format!("{package}.{}", failure.id);
        }
        for place in &mut failure.places {
            let is_bare = !place.contains(['/', '\\']);
            if is_bare && place.contains("_test.go:") {
                *place = format!("{package}/{place}");
            }
        }
    }
}

/// Removes failed tests that only report a failed subtest.
fn drop_parents(first: usize, sheet: &mut Sheet<'_, '_>) {
    let own = &mut sheet.found.results.failures;
    let own = own.split_off(first.min(own.len()));
    let ids: BTreeSet<String> = own.iter().map(|it| it.id.clone()).collect();
    let is_parent = |it: &Failure| {
        // If there are subtests, their ids directly follow this prefix in the sorted set.
        let below = format!("{}/", it.id);
        let next = ids.range(below.clone()..).next();
        is_bare(it) && next.is_some_and(|it| it.starts_with(&below))
    };
    let (parents, kept): (Vec<Failure>, _) = own.into_iter().partition(is_parent);
    sheet.found.results.failures.extend::<Vec<_>>(kept);
    for parent in parents {
        sheet.found.went(&parent.id, TestOutcome::Failed);
    }
}

/// Returns true if `line` begins in a way that only lines of go test do.
pub(super) fn is_own(line: &str) -> bool {
    let verbs = [Verb::Begun, Verb::PackageFailed, Verb::PackagePassed];
    let is_of = |verb: &Verb| rule_of("go", *verb, line).is_some();
    verbs.iter().any(is_of) || line.starts_with("--- ") && is_of(&Verb::Ended)
}

pub(super) fn is_begin(line: &str) -> bool {
    rule_of("go", Verb::Begun, line).is_some()
}

/// Returns the name of a test that has just ended.
pub(super) fn ended(line: &str) -> Option<&str> {
    let found = rule_of("go", Verb::Ended, line)?.line.captures(line)?;
    Some(found.name("name")?.as_str())
}
