//! Tells if a failed test has passed since. If it didn't run at all, it has not been fixed.

use std::collections::{BTreeMap, BTreeSet};

use windlass_packs::context::TestNames;
use windlass_results::{FailureKind, NamedTest, Results, TestOutcome, file_of_test, test_key};

/// A result file with the outcomes of all tests that ran.
pub(super) struct Ran {
    /// Passed tests by the name that we show.
    passed: BTreeMap<String, Vec<NamedTest>>,
    /// Passed tests by a key that's the same for all programs.
    keys: BTreeMap<String, Vec<NamedTest>>,
    /// Files in which all tests have passed but aren't named, with the number of these tests.
    well: BTreeMap<String, u32>,
}

impl Ran {
    /// Returns `None` for results that we don't recognize, or that are incomplete or cut.
    pub(super) fn of(found: &Results) -> Option<Self> {
        if !found.is_recognised || found.is_broken_off || found.left_out > 0 {
            return None;
        }
        let (mut passed, mut keys) = (BTreeMap::new(), BTreeMap::new());
        let own = found.names.iter();
        for name in own.filter(|name| name.outcome == TestOutcome::Passed) {
            let of_name: &mut Vec<_> = passed.entry(name.name.clone()).or_default();
            of_name.push(name.clone());
            let of_key: &mut Vec<_> = keys.entry(name.key.clone()).or_default();
            of_key.push(name.clone());
        }
        let named: BTreeSet<&str> = passed
            .keys()
            .filter_map(|name| file_of_test(name))
            .collect();
        let files = found.files.iter();
        let well =
            files.filter(|(file, count)| count.others == 0 && !named.contains(file.as_str()));
        let well = well
            .map(|(file, count)| (file.clone(), count.passed))
            .collect();
        Some(Self { passed, keys, well })
    }

    /// True if the test with this ID has passed. `before` has the tests that failed in the earlier
    /// run and the number of tests per file, if we know them.
    ///
    /// Some programs don't name the tests that pass. In that case, all tests in the file must have
    /// passed, and there must be at least as many as before; otherwise, perhaps the failed test
    /// just didn't run. A compiler error has no name, so it never passes.
    pub(super) fn has_passed(
        &self,
        id: &str,
        kind: FailureKind,
        before: Option<&TestNames>,
    ) -> bool {
        if kind == FailureKind::Error {
            return false;
        }
        let (name, times) = without_number(id);
        // There may be a test of the same name in another file or program, so it must be one of
        // those that failed.
        let is_it = |test: &&NamedTest| before.is_none_or(|before| before.is_one_that_failed(test));
        let of_name = self.passed.get(name).into_iter().flatten().filter(is_it);
        let mut of_key = self
            .keys
            .get(&test_key(name))
            .into_iter()
            .flatten()
            .filter(is_it);
        let is_named = of_name.count() >= times || times == 1 && of_key.next().is_some();
        let in_file = || {
            let file = file_of_test(id)?;
            Some((self.well.get(file)?, before?.files.get(file)?))
        };
        is_named || in_file().is_some_and(|(now, then)| now >= then)
    }
}

/// Splits off the number that we've added to equal names: `a (2)` becomes `a` and 2.
fn without_number(id: &str) -> (&str, usize) {
    let numbered = id.strip_suffix(')').and_then(|id| id.rsplit_once(" ("));
    let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
    match numbered {
        Some((name, number)) if number > 1 => (name, number),
        _ => (id, 1),
    }
}

/// True if both names may refer to the same failure. One of them may have a label, since older
/// packs have a number there.
pub(super) fn may_be_one(one: &str, other: &str) -> bool {
    let parts = |id| -> (&str, bool) {
        let label = str::strip_suffix(id, ")").and_then(|id| id.rsplit_once(" ("));
        match label {
            Some((name, label)) => (name, label.parse::<u32>().is_ok()),
            None => (id, true),
        }
    };
    let ((one, is_bare), (other, other_is_bare)) = (parts(one), parts(other));
    one == other && (is_bare || other_is_bare)
}

#[cfg(test)]
mod tests {
    use windlass_results::read_results;

    use super::*;

    #[test]
    fn test_label_is_optional() {
        for (one, other) in [("a", "a (s)"), ("a (2)", "a (s)"), ("a", "a")] {
            assert!(may_be_one(one, other) && may_be_one(other, one), "{one}");
        }
        for (one, other) in [("a (s)", "a (t)"), ("a", "b"), ("a", "b (s)")] {
            assert!(!may_be_one(one, other) && !may_be_one(other, one), "{one}");
        }
    }

    /// Parses both texts as results, and asks for the test `id`.
    fn passed(text: &str, id: &str, before: Option<&str>) -> bool {
        let before = before.map(|text| TestNames::of_results(&read_results(text).unwrap()));
        let ran = Ran::of(&read_results(text).unwrap());
        ran.is_some_and(|ran| ran.has_passed(id, FailureKind::Test, before.as_ref()))
    }

    const CARGO: &str = "running 2 tests\ntest m::a ... ok\ntest b ... ignored\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 1 filtered out\n";

    #[test]
    fn test_not_run_did_not_pass() {
        let failed = "running 3 tests\ntest m::a ... FAILED\ntest b ... FAILED\ntest c ... ok\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n";
        for before in [None, Some(failed)] {
            assert!(passed(CARGO, "m::a", before));
            for id in ["b", "c", "m::a (2)"] {
                assert!(!passed(CARGO, id, before), "{id}");
            }
        }
        let xml = "<testsuite><testcase classname=\"t.m\" name=\"a\"/><testcase name=\"x\"/><testcase name=\"x\"/></testsuite>";
        assert!(passed(xml, "t/m.py::a", None) && passed(xml, "x (2)", None));
        assert!(!passed(xml, "x (3)", None));
        let cut = format!("{CARGO}running 2 tests\ntest d ... ok\n");
        assert!(!passed(&cut, "m::a", None));
    }

    /// Creates the output of pytest from progress lines, the summary of failures, and the last
    /// line.
    fn pytest(dots: &str, named: &str, end: &str) -> String {
        format!(
            "==== test session starts ====\n{dots}\n==== short test summary info ====\n{named}==== {end} in 0.12s ====\n"
        )
    }

    #[test]
    fn unnamed_tests_must_all_pass() {
        let id = "t/a.py::test_b";
        let failed = format!("FAILED {id} - no\n");
        let before = pytest(
            "t/a.py F.. [ 75%]\nt/b.py s [100%]",
            &failed,
            "1 failed, 2 passed, 1 skipped",
        );
        let now = |dots: &str, end: &str| passed(&pytest(dots, "", end), id, Some(&before));
        assert!(now(
            "t/a.py ... [ 75%]\nt/b.py s [100%]",
            "3 passed, 1 skipped"
        ));
        assert!(now("t/a.py ..\n.. [ 80%]\nt/b.py . [100%]", "5 passed"));
        // None of these prove anything: another file, fewer tests, a skipped test, and a file with
        // unknown outcomes.
        for (dots, end) in [
            ("t/c.py .... [100%]", "4 passed"),
            ("t/a.py .. [ 50%]\nt/b.py .. [100%]", "4 passed"),
            ("t/a.py s.. [ 75%]\nt/b.py . [100%]", "3 passed, 1 skipped"),
            ("t/a.py ..x [ 75%]\nt/b.py . [100%]", "3 passed, 1 xfailed"),
            ("t/a.py ... [ 75%]\nt/b.py . [100%]", "4 passed, 1 skipped"),
            (".... [100%]", "4 passed"),
        ] {
            assert!(!now(dots, end), "{dots}");
        }
        assert!(!passed(
            &pytest("t/a.py ... [100%]", "", "3 passed"),
            id,
            None
        ));
        // The program names the tests that pass, so this test must be among them.
        let list =
            |name: &str| format!("PASSED t/a.py::test_c\nPASSED t/a.py::test_d\nPASSED {name}\n");
        for (name, expected) in [(id, true), ("t/a.py::test_x", false)] {
            let text = pytest("t/a.py ... [100%]", &list(name), "3 passed");
            assert_eq!(passed(&text, id, Some(&before)), expected, "{name}");
        }
    }

    #[test]
    fn vitest_file_counts_its_tests() {
        let id = "src/a.test.ts > adds";
        let run = |line: &str, failed: &str, end: &str| {
            format!(
                " RUN  v4.1.12 /p\n\n {line} 6ms\n{failed}\n Test Files  1 failed (1)\n      Tests  {end} (2)\n   Start at  23:24:04\n"
            )
        };
        let failed = format!("\n FAIL  {id}\nError: no\n\n⎯⎯⎯[1/1]⎯\n");
        let before = run(
            "❯ src/a.test.ts (2 tests | 1 failed)",
            &failed,
            "1 failed | 1 passed",
        );
        let now = |line: &str, end: &str| passed(&run(line, "", end), id, Some(&before));
        assert!(now("✓ src/a.test.ts (2 tests)", "2 passed"));
        for (line, end) in [
            (
                "✓ src/a.test.ts (2 tests | 1 skipped)",
                "1 passed | 1 skipped",
            ),
            ("✓ src/a.test.ts (2 tests)", "1 passed | 1 skipped"),
            ("✓ src/a.test.ts (1 test)", "1 passed"),
            ("✓ src/b.test.ts (2 tests)", "2 passed"),
        ] {
            assert!(!now(line, end), "{line}");
        }
    }

    #[test]
    fn same_name_elsewhere_fixes_nothing() {
        let cargo = |program: &str, how: &str| {
            format!(
                "     Running unittests src/lib.rs (target/debug/deps/{program}-0123456789abcdef)\n\nrunning 1 test\ntest adds ... {how}\n\ntest result: {how}. 0 passed; 0 failed; 0 ignored\n"
            )
        };
        let doc = |program: &str, how: &str| {
            format!(
                "   Doc-tests {program}\n\nrunning 1 test\ntest adds ... {how}\n\ntest result: {how}. 0 passed; 0 failed; 0 ignored\n"
            )
        };
        let tap = |file: &str, how: &str| {
            let how = if how == "ok" { "ok" } else { "not ok" };
            format!(
                "TAP version 13\n# Subtest: adds\n{how} 1 - adds\n  ---\n  duration_ms: 1.2\n  location: '/r/test/{file}.test.js:3:1'\n  ...\n1..1\n"
            )
        };
        let jest = |file: &str, how: &str| match how {
            "ok" => format!(
                "PASS src/{file}.test.js\n  ✓ adds (2 ms)\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n"
            ),
            _ => format!(
                "FAIL src/{file}.test.js\n  ✕ adds (2 ms)\n\n  ● adds\n\n    no\n\n      at Object.<anonymous> (src/{file}.test.js:2:20)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n"
            ),
        };
        let case = |file: &str, suite: &str, how: &str| {
            let wrong = if how == "ok" {
                ""
            } else {
                "<failure message=\"no\"/>"
            };
            format!(
                "<testsuite name=\"{suite}\"><testcase name=\"adds\" file=\"{file}.py\">{wrong}</testcase></testsuite>"
            )
        };
        let junit = |file: &str, how: &str| case(file, "s", how);
        let suites = |suite: &str, how: &str| case("x", suite, how);
        let gradle = |task: &str, how: &str| {
            let how = if how == "ok" { "PASSED" } else { "FAILED" };
            format!(
                "> Task :{task}:test\n\nCalcTest > adds() {how}\n\n1 tests completed, 0 failed\n\nBUILD SUCCESSFUL in 2s\n"
            )
        };
        type Report<'r> = &'r dyn Fn(&str, &str) -> String;
        let reports: [Report<'_>; 7] = [&cargo, &doc, &tap, &jest, &junit, &suites, &gradle];
        for report in reports {
            let before = report("a", "FAILED");
            let found = read_results(&before).unwrap();
            let id = &*found.failures[0].id;
            assert!(passed(&report("a", "ok"), id, Some(&before)), "{before}");
            assert!(!passed(&report("b", "ok"), id, Some(&before)), "{before}");
        }
        // This format doesn't name the file.
        assert!(passed(&junit("a", "ok"), "adds", Some(&tap("a", "FAILED"))));
    }

    #[test]
    fn go_package_ok_shows_no_tests() {
        for text in [
            "ok  \texample.org/g\t0.004s\n",
            "ok  \texample.org/g\t0.004s [no tests to run]\n",
            "?   \texample.org/g\t[no test files]\n",
        ] {
            assert!(!passed(text, "example.org/g.TestBad", None), "{text}");
        }
        let loud =
            "=== RUN   TestBad\n--- PASS: TestBad (0.00s)\nPASS\nok  \texample.org/g\t0.004s\n";
        assert!(passed(loud, "example.org/g.TestBad", None));
        assert!(!passed(loud, "example.org/h.TestBad", None));
    }

    #[test]
    fn compiler_error_not_fixed_by_tests() {
        let ran = Ran::of(&read_results(CARGO).unwrap()).unwrap();
        for id in ["E0308: src/a.rs:3", "m::a"] {
            assert!(!ran.has_passed(id, FailureKind::Error, None), "{id}");
        }
    }
}
