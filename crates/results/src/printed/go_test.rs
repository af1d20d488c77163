//! go test, with `-v`, with `-json`, and without.

use std::collections::{BTreeMap, BTreeSet};

use super::Program;
use super::printed_page::{Page, is_bare};
use crate::{Failure, TestCount, TestOutcome};

#[derive(Default)]
pub(super) struct Go {
    /// The first failure of the package that is read.
    first: usize,
    /// The first other test of it that is named.
    named: usize,
    /// The test whose lines these are, with `-v`.
    current: Option<String>,
    /// What tests printed before it was said how they went.
    printed: BTreeMap<String, Vec<String>>,
    /// Tests that began and did not end.
    running: BTreeSet<String>,
    /// What is of no test: a panic.
    loose: Vec<String>,
    /// Whether there is something of a package whose end was not said.
    is_open: bool,
    /// Whether a test that failed was named since the last package.
    has_failed: bool,
    /// Whether all tests are named, as with `-v`, so that they are counted one by one.
    is_loud: bool,
    /// The tests of the package that ended, and how.
    ended: Vec<(String, TestOutcome)>,
    /// How tests went by their whole names: of one that was run again, the worst.
    went: BTreeMap<String, TestOutcome>,
    /// The whole names of all that failed.
    told: BTreeSet<String>,
}

impl Program for Go {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if let Some(name) = begun(line) {
            if line.starts_with("=== RUN") {
                self.running.insert(name.to_owned());
            }
            self.current = Some(name.to_owned());
            self.open(page);
            page.recognise();
            page.pass();
        } else if let Some((word, name)) = ended(line) {
            self.end_test(word, name, page);
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            page.pass();
            self.end_package(rest, page);
        } else if line.starts_with("ok  \t") || line.starts_with("?   \t") {
            page.recognise();
            page.pass();
            let package = line.split('\t').nth(1).unwrap_or_default();
            if line.starts_with("ok") && !self.is_loud && !line.contains("[no tests to run]") {
                page.is_uncounted();
            }
            if self.is_open {
                page.named_from(self.named, package);
                self.count_package(package);
            }
            self.close(page);
        } else if matches!(line, "PASS" | "FAIL") && self.is_open {
            page.pass();
            self.end_program(line == "FAIL", page);
        } else if line.starts_with("panic: ") && line.len() > 7 || line.starts_with("fatal error: ")
        {
            let said = page.take_until(|line| line.starts_with("FAIL\t"));
            self.loose
                .extend(said.iter().map(|line| (*line).to_owned()));
            self.open(page);
        } else if let Some(name) = self.current.clone() {
            self.printed.entry(name).or_default().push(line.to_owned());
            page.pass();
        } else {
            return false;
        }
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.is_open {
            self.broken_off("", page);
        }
        self.count_program(page);
        for outcome in std::mem::take(&mut self.went).into_values() {
            page.count(one(outcome));
        }
    }
}

impl Go {
    fn open(&mut self, page: &Page<'_>) {
        if !self.is_open {
            self.is_open = true;
            self.first = page.failures();
            self.named = page.named();
        }
    }

    fn close(&mut self, page: &Page<'_>) {
        *self = Self {
            first: page.failures(),
            named: page.named(),
            is_loud: self.is_loud,
            went: std::mem::take(&mut self.went),
            told: std::mem::take(&mut self.told),
            ..Self::default()
        };
    }

    /// A test ended; what is moved in below it was printed by it, and by the tests in it.
    fn end_test(&mut self, word: &str, name: &str, page: &mut Page<'_>) {
        // Only with `-v` tests that passed are named, so that they can be counted.
        let is_counted = self.current.is_some() || self.running.contains(name);
        self.open(page);
        self.current = self.current.take().map(|_| name.to_owned());
        self.running.remove(name);
        page.recognise();
        page.pass();
        let below = page.take_until(|line| ended(line).is_some() || !line.starts_with([' ', '\t']));
        let mut said = self.printed.remove(name).unwrap_or_default();
        said.extend(below.iter().map(|line| (*line).to_owned()));
        if word == "FAIL" {
            if page.line().starts_with("panic: ") {
                let panic = page.take_until(|line| line.starts_with("FAIL\t"));
                said.extend(panic.iter().map(|line| (*line).to_owned()));
            }
            self.has_failed = true;
            page.fail(name, &said.join("\n"));
        }
        self.is_loud |= is_counted;
        if !is_counted {
            page.is_uncounted();
        } else {
            let outcome = match word {
                "PASS" => TestOutcome::Passed,
                "SKIP" => TestOutcome::Skipped,
                _ => TestOutcome::Failed,
            };
            if outcome != TestOutcome::Failed {
                page.went(name, outcome);
            }
            self.ended.push((name.to_owned(), outcome));
        }
    }

    /// Takes in how the tests of `package` went; those that were run before are counted once.
    fn count_package(&mut self, package: &str) {
        for (name, outcome) in std::mem::take(&mut self.ended) {
            let known = self.went.entry(format!("{package}.{name}"));
            let known = known.or_insert(outcome);
            if weight(outcome) > weight(*known) {
                *known = outcome;
            }
        }
    }

    /// Counts tests of which nobody says what package they are of.
    fn count_program(&mut self, page: &mut Page<'_>) {
        for (_, outcome) in std::mem::take(&mut self.ended) {
            page.count(one(outcome));
        }
    }

    /// `FAIL\texample.org/a\t0.01s`, `FAIL\texample.org/a [build failed]`.
    fn end_package(&mut self, rest: &str, page: &mut Page<'_>) {
        page.recognise();
        let package = rest.split(['\t', ' ']).next().unwrap_or_default();
        if rest.ends_with("failed]") {
            page.fail(rest, rest);
        } else if !self.running.is_empty() || !self.has_failed {
            self.broken_off(package, page);
        }
        if self.is_open {
            of_package(package, self.first, page);
            page.named_from(self.named, package);
            page.keep_new(self.first, &mut self.told);
            self.count_package(package);
        }
        self.close(page);
    }

    /// The end of a program with tests that was started by hand.
    fn end_program(&mut self, is_bad: bool, page: &mut Page<'_>) {
        page.recognise();
        // go test says next which package it was.
        let is_go = page.line().starts_with("FAIL\t")
            || page.line().starts_with("exit status")
            || page.line().starts_with("ok  \t")
            || page.line().starts_with("coverage:");
        if is_go {
            return;
        }
        if is_bad && !self.has_failed {
            self.broken_off("", page);
        }
        drop_parents(self.first, page);
        self.count_program(page);
        self.close(page);
    }

    /// What ran did not end in the way in which tests do.
    fn broken_off(&mut self, package: &str, page: &mut Page<'_>) {
        let running: Vec<&str> = self.running.iter().map(String::as_str).collect();
        let name = match (package, running.first()) {
            ("", None) => "go test did not end".to_owned(),
            ("", Some(test)) => format!("{test} did not end"),
            (package, None) => package.to_owned(),
            (package, Some(test)) => format!("{package}: {test} did not end"),
        };
        let mut said = std::mem::take(&mut self.loose);
        for test in &running {
            said.extend(self.printed.get(*test).cloned().unwrap_or_default());
        }
        if said.iter().all(|line| line.trim().is_empty()) {
            said = vec!["what it printed ends before it says how its tests went".to_owned()];
        }
        page.is_cut();
        page.fail(&name, &said.join("\n"));
    }
}

/// A test that went so.
fn one(outcome: TestOutcome) -> TestCount {
    let is = |wanted| u32::from(outcome == wanted);
    TestCount {
        passed: is(TestOutcome::Passed),
        failed: is(TestOutcome::Failed),
        skipped: is(TestOutcome::Skipped),
    }
}

/// How much it says of a test that it went so once: one that failed once fails, one that passed once was run.
fn weight(outcome: TestOutcome) -> u32 {
    match outcome {
        TestOutcome::Skipped => 0,
        TestOutcome::Passed => 1,
        TestOutcome::Failed | TestOutcome::Error => 2,
    }
}

/// Says of the failures from `first` on which package they are of: tests of several have the same names, and files are named
/// from its folder.
fn of_package(package: &str, first: usize, page: &mut Page<'_>) {
    drop_parents(first, page);
    for failure in page.failures_from(first) {
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

/// A test that only says that one in it failed says nothing.
fn drop_parents(first: usize, page: &mut Page<'_>) {
    let failures = page.failures_from(first);
    let ids: BTreeSet<String> = failures.iter().map(|it| it.id.clone()).collect();
    let is_parent = |id: &str| {
        let below = format!("{id}/");
        ids.range(below.clone()..)
            .next()
            .is_some_and(|it| it.starts_with(&below))
    };
    let is_told_by_others = |it: &Failure| is_bare(it) && is_parent(&it.id);
    let parents = page.failures_from(first).iter();
    let parents = parents.filter(|it| is_told_by_others(it));
    let parents: Vec<String> = parents.map(|it| it.id.clone()).collect();
    for parent in parents {
        page.went(&parent, TestOutcome::Failed);
    }
    page.retain_from(first, |it| !is_told_by_others(it));
}

/// Whether it is go test that says `line`: nobody else begins one so.
pub(super) fn is_own(line: &str) -> bool {
    let begins = ["--- FAIL: ", "--- PASS: ", "ok  \t", "FAIL\t"];
    begun(line).is_some() || begins.iter().any(|begin| line.starts_with(begin))
}

/// The test that `=== RUN   TestA` and the like tell of.
pub(super) fn begun(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("=== ")?;
    let (word, name) = rest.split_once(' ')?;
    let name = name.trim();
    (matches!(word, "RUN" | "CONT" | "NAME" | "PAUSE") && !name.is_empty()).then_some(name)
}

/// `--- FAIL: TestName (0.00s)`: the word and the name.
pub(super) fn ended(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let name = rest.split(' ').next().filter(|name| !name.is_empty())?;
    matches!(word, "FAIL" | "PASS" | "SKIP").then_some((word, name))
}

#[cfg(test)]
mod tests {
    use super::super::go_json::is_json;
    use super::super::read;
    use crate::Failure;

    fn told(failures: &[Failure]) -> Vec<(&str, &str)> {
        failures.iter().map(|it| (&*it.id, &*it.summary)).collect()
    }

    const PLAIN: &str = "--- FAIL: TestBad (0.00s)\n    a_test.go:4: wanted 1, got 2\n    a_test.go:4: more\n        lines\n--- FAIL: TestSub (0.00s)\n    --- FAIL: TestSub/one (0.00s)\n        a_test.go:6: inner broke\nFAIL\nFAIL\texample.org/g\t0.006s\nok  \texample.org/g/ok\t0.004s\n--- FAIL: TestBad (0.00s)\n    s_test.go:3: in sub\nFAIL\nFAIL\texample.org/g/sub\t0.005s\nFAIL\n";
    const LOUD: &str = "=== RUN   TestOK\n--- PASS: TestOK (0.00s)\n=== RUN   TestBad\n    a_test.go:4: wanted 1, got 2\n    a_test.go:4: more\n        lines\n--- FAIL: TestBad (0.00s)\n=== RUN   TestSub\n=== RUN   TestSub/one\n    a_test.go:6: inner broke\n=== RUN   TestSub/two\n--- FAIL: TestSub (0.00s)\n    --- FAIL: TestSub/one (0.00s)\n    --- PASS: TestSub/two (0.00s)\n=== RUN   TestSkip\n    a_test.go:9: later\n--- SKIP: TestSkip (0.00s)\nFAIL\nFAIL\texample.org/g\t0.002s\nok  \texample.org/g/ok\t0.004s\n=== RUN   TestBad\n    s_test.go:3: in sub\n--- FAIL: TestBad (0.00s)\nFAIL\nFAIL\texample.org/g/sub\t0.023s\nFAIL\n";

    #[test]
    fn what_go_prints_loud_or_not() {
        for text in [PLAIN, LOUD] {
            let found = read(text);
            assert_eq!(
                told(&found.failures),
                [
                    ("example.org/g.TestBad", "a_test.go:4: wanted 1, got 2"),
                    ("example.org/g.TestSub/one", "a_test.go:6: inner broke"),
                    ("example.org/g/sub.TestBad", "s_test.go:3: in sub"),
                ]
            );
            assert!(!found.is_broken_off);
            assert_eq!(found.failures[1].places, ["example.org/g/a_test.go:6"]);
            assert!(
                found.failures[0]
                    .detail
                    .as_ref()
                    .unwrap()
                    .ends_with("lines")
            );
        }
        let tests = read(LOUD).tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (2, 4, 1));
        assert_eq!(read(PLAIN).tests, None);
    }

    #[test]
    fn tests_that_are_run_again_are_counted_once() {
        let run = |package: &str, a: &str, b: &str, said: &str| {
            let verdict = if a == "FAIL" || b == "FAIL" {
                "FAIL"
            } else {
                "PASS"
            };
            let end = if verdict == "FAIL" {
                "FAIL\t"
            } else {
                "ok  \t"
            };
            format!(
                "=== RUN   TestA\n    a_test.go:3: {said}\n--- {a}: TestA (0.00s)\n=== RUN   TestB\n--- {b}: TestB (0.00s)\n{verdict}\n{end}{package}\t0.1s\n"
            )
        };
        let of = |text: &str| {
            let found = crate::read_results(text).unwrap();
            let names = crate::named_test::count_of(&found.names);
            let ids = found.failures.into_iter().map(|it| it.id);
            let tests = found.tests.unwrap();
            assert_eq!(names, tests, "{text}");
            (
                ids.collect::<Vec<String>>(),
                (tests.passed, tests.failed, tests.skipped),
            )
        };
        let bad = |said| run("e.org/m", "FAIL", "PASS", said);
        let a = vec!["e.org/m.TestA".to_owned()];
        assert_eq!(of(&bad("no").repeat(3)), (a.clone(), (1, 1, 0)));
        assert_eq!(
            of(&format!("{}{}", bad("1"), bad("2"))),
            (a.clone(), (1, 1, 0))
        );
        let well = run("e.org/m", "PASS", "SKIP", "");
        assert_eq!(of(&format!("{}{well}", bad("1"))), (a.clone(), (1, 1, 0)));
        assert_eq!(of(&format!("{well}{}", bad("1"))), (a.clone(), (1, 1, 0)));
        // Another package may have tests of the same names.
        let other = run("e.org/n", "PASS", "PASS", "");
        assert_eq!(of(&format!("{}{other}", bad("1"))), (a, (3, 1, 0)));
    }

    #[test]
    fn a_package_that_failed_without_a_word_of_its_tests_is_told() {
        let panic = "--- FAIL: TestPanic (0.00s)\npanic: assignment to entry in nil map [recovered]\n\tpanic: assignment\n\ngoroutine 7 [running]:\ntesting.tRunner()\n\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e\nexample.org/g/pan.TestPanic(0x1)\n\t/home/ann/g/pan/p_test.go:4 +0x2e\nFAIL\texample.org/g/pan\t0.006s\n";
        let found = read(panic);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        assert_eq!(found.failures[0].places, ["/home/ann/g/pan/p_test.go:4"]);
        let late = "panic: test timed out after 1s\nrunning tests:\n\tTestSlow (1s)\n\ngoroutine 1 [running]:\nFAIL\texample.org/g\t1.006s\nFAIL\n";
        assert_eq!(
            told(&read(late).failures),
            [("example.org/g", "panic: test timed out after 1s")]
        );
        let os = "=== RUN   TestExit\nsaid by it\nexit status 3\nFAIL\texample.org/g\t0.006s\n";
        assert_eq!(
            told(&read(os).failures),
            [("example.org/g: TestExit did not end", "said by it")]
        );
        let broken =
            "# example.org/c\n./b.go:3:5: undefined: x\nFAIL\texample.org/c [build failed]\nFAIL\n";
        assert_eq!(
            told(&read(broken).failures),
            [
                ("b.go:3: undefined: x", "undefined: x"),
                (
                    "example.org/c [build failed]",
                    "example.org/c [build failed]"
                )
            ]
        );
    }

    #[test]
    fn what_ends_in_the_middle_did_not_pass() {
        for cut in [
            "=== RUN   TestA\n",
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\n",
        ] {
            let found = read(cut);
            assert!(
                found.is_broken_off && found.failures.len() == 1,
                "{found:?}"
            );
        }
        for whole in [
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n",
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.org/a\t0.01s\n",
        ] {
            let found = read(whole);
            assert!(
                !found.is_broken_off && found.failures.is_empty(),
                "{found:?}"
            );
        }
    }

    #[test]
    fn events_are_read_as_what_was_printed() {
        let mut text = String::new();
        for (package, line) in [
            ("a.org/a", "=== RUN   TestA\n"),
            ("a.org/b", "=== RUN   TestB\n"),
            ("a.org/a", "    a_test.go:3: no\n"),
            ("a.org/a", "--- FAIL: TestA (0.00s)\n"),
            ("a.org/b", "--- PASS: TestB (0.00s)\n"),
            ("a.org/b", "ok  \ta.org/b\t0.1s\n"),
            ("a.org/a", "FAIL\ta.org/a\t0.1s\n"),
        ] {
            let event = serde_json::json!({"Action": "output", "Package": package, "Output": line});
            text.push_str(&format!("{event}\n"));
        }
        let aside = "go: downloading a.org/z v1.0.0\n".repeat(30);
        let behind = "FAIL\nexit status 1\n";
        for text in [
            text.clone(),
            format!("{aside}{text}"),
            format!("{text}{behind}"),
        ] {
            assert!(is_json(&text));
            let found = read(&text);
            assert_eq!(
                told(&found.failures),
                [("a.org/a.TestA", "a_test.go:3: no")]
            );
            assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 1)));
        }
        // One that a test prints is no event of those that run it.
        let printed = format!("=== RUN   TestJson\n{text}{}", LOUD.repeat(3));
        assert!(!is_json(&printed));
    }
}
