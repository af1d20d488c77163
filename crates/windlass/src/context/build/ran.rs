//! Whether a test that failed before passed now: one that was not run is not mended.

use std::collections::{BTreeMap, BTreeSet};

use windlass_context::{Failure, FailureKind, Results, TestCount, TestOutcome, test_key};

/// What is known of the tests of a file of results that says of all that was run how it went.
pub(super) struct Ran {
    /// How many tests passed of a name, as it is told.
    passed: BTreeMap<String, usize>,
    /// The whole names of those that passed, as they are compared.
    keys: BTreeSet<String>,
    /// How many tests there were, where all that failed are named, and not all others.
    unnamed: Option<TestCount>,
}

impl Ran {
    pub(super) fn of(found: &Results) -> Self {
        let passed = found.names.iter();
        let passed = passed.filter(|name| name.outcome == TestOutcome::Passed);
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for name in passed.clone() {
            *names.entry(name.name.clone()).or_default() += 1;
        }
        let named = found.names.iter();
        let named = named.filter(|name| name.outcome != TestOutcome::Error);
        let named = u32::try_from(named.count()).unwrap_or(u32::MAX);
        Self {
            passed: names,
            keys: passed.map(|name| name.key.clone()).collect(),
            unnamed: found
                .tests
                .filter(|tests| named < all_of(*tests) && names_what_failed(found, *tests)),
        }
    }

    /// Whether it shows that what failed by the name `id` was run and passed now; `before` is how many tests there were when it failed, where
    /// that is known. Where those that passed are not named, it is shown if the same run was made. What a compiler found has no name
    /// under which it could pass.
    pub(super) fn has_passed(
        &self,
        id: &str,
        kind: FailureKind,
        before: Option<TestCount>,
    ) -> bool {
        if kind == FailureKind::Error {
            return false;
        }
        let (name, times) = without_number(id);
        let passed = self.passed.get(name).copied().unwrap_or_default();
        let is_named = passed >= times || times == 1 && self.keys.contains(&test_key(name));
        is_named || self.is_same_run(before)
    }

    /// Whether as many tests were there as before, and none more was left out: then what does not fail passed.
    fn is_same_run(&self, before: Option<TestCount>) -> bool {
        let (Some(before), Some(now)) = (before, self.unnamed) else {
            return false;
        };
        all_of(before) == all_of(now) && now.skipped <= before.skipped
    }
}

/// How many tests there were, whatever became of them.
fn all_of(tests: TestCount) -> u32 {
    let run = tests.passed.saturating_add(tests.failed);
    run.saturating_add(tests.skipped)
}

/// Whether all tests that failed are named: what is only counted may be any of them.
fn names_what_failed(found: &Results, tests: TestCount) -> bool {
    let is_test = |failure: &&Failure| failure.kind == FailureKind::Test;
    let named = found.failures.iter().filter(is_test);
    let named = named.filter(|failure| !is_only_counted(&failure.id));
    named.count() >= tests.failed as usize
}

/// `3 failed tests`: what stands for failures that have no names.
fn is_only_counted(id: &str) -> bool {
    let number = id.strip_suffix(" failed tests");
    let number = number.or_else(|| id.strip_suffix(" failed test"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// A name without the number by which it is told from others that are the same, and the number: `a` and 2 of `a (2)`.
fn without_number(id: &str) -> (&str, usize) {
    let numbered = id.strip_suffix(')').and_then(|id| id.rsplit_once(" ("));
    let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
    match numbered {
        Some((name, number)) if number > 1 => (name, number),
        _ => (id, 1),
    }
}

/// Whether one test may have both names: what tells it from others stands behind its name only where a report names several, and packs that
/// were kept before have a number there.
pub(in crate::context) fn may_be_one(one: &str, other: &str) -> bool {
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
    use windlass_context::read_results;

    use super::*;

    #[test]
    fn a_test_may_have_its_name_with_and_without_what_tells_it_from_others() {
        for (one, other) in [("a", "a (s)"), ("a (2)", "a (s)"), ("a", "a")] {
            assert!(may_be_one(one, other) && may_be_one(other, one), "{one}");
        }
        for (one, other) in [("a (s)", "a (t)"), ("a", "b"), ("a", "b (s)")] {
            assert!(!may_be_one(one, other) && !may_be_one(other, one), "{one}");
        }
    }

    /// So many tests that passed, failed and were left out.
    fn count(passed: u32, failed: u32, skipped: u32) -> TestCount {
        TestCount {
            passed,
            failed,
            skipped,
        }
    }

    fn passed(text: &str, id: &str, before: Option<TestCount>) -> bool {
        let ran = Ran::of(&read_results(text).unwrap());
        ran.has_passed(id, FailureKind::Test, before)
    }

    const CARGO: &str = "running 2 tests\ntest m::a ... ok\ntest b ... ignored\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 1 filtered out\n";

    #[test]
    fn what_was_not_run_did_not_pass() {
        let three = Some(count(2, 1, 0));
        assert!(passed(CARGO, "m::a", three) && passed(CARGO, "m::a", None));
        for id in ["b", "c", "m::a (2)"] {
            assert!(!passed(CARGO, id, three), "{id}");
            assert!(!passed(CARGO, id, Some(count(1, 0, 1))), "{id}");
        }
        let xml = "<testsuite><testcase classname=\"t.m\" name=\"a\"/><testcase name=\"x\"/><testcase name=\"x\"/></testsuite>";
        assert!(passed(xml, "t/m.py::a", three) && passed(xml, "x (2)", three));
        assert!(!passed(xml, "x (3)", three));
    }

    #[test]
    fn where_nobody_is_named_the_same_run_shows_what_passed() {
        let dots = |signs: &str, end: &str| format!("test_a.py {signs} [100%]\n==== {end} ====\n");
        let well = dots("...", "3 passed in 0.12s");
        let id = "test_a.py::test_b";
        assert!(passed(&well, id, Some(count(2, 1, 0))));
        assert!(passed(&well, id, Some(count(1, 1, 1))));
        // Fewer, more, and nobody knows how many.
        for before in [Some(count(3, 1, 0)), Some(count(1, 1, 0)), None] {
            assert!(!passed(&well, id, before), "{before:?}");
        }
        for left_out in ["2 passed, 1 skipped", "2 passed, 1 xfailed"] {
            let text = dots("..s", &format!("{left_out} in 0.12s"));
            assert!(!passed(&text, id, Some(count(2, 1, 0))), "{left_out}");
            assert!(passed(&text, id, Some(count(1, 1, 1))), "{left_out}");
        }
        // One that failed has no name: it may be this one.
        let failed = dots("..F", "1 failed, 2 passed in 0.12s");
        assert!(!passed(&failed, id, Some(count(2, 1, 0))));
        assert!(!passed(&failed, id, Some(count(1, 2, 0))));
        let named = format!("FAILED test_a.py::test_c - no\n{failed}");
        assert!(passed(&named, id, Some(count(1, 2, 0))));
    }

    #[test]
    fn packages_that_are_well_do_not_show_which_tests_they_ran() {
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
    fn what_a_compiler_found_is_not_mended_by_tests() {
        let ran = Ran::of(&read_results(CARGO).unwrap());
        assert!(!ran.has_passed("E0308: src/a.rs:3", FailureKind::Error, None));
        assert!(!ran.has_passed("m::a", FailureKind::Error, Some(count(1, 0, 1))));
    }
}
