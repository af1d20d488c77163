//! Whether a test that failed before passed now: one that was not run is not mended.

use std::collections::{BTreeMap, BTreeSet};

use windlass_context::{FailureKind, Results, TestOutcome, test_key};

/// What is known of the tests of a file of results that says of all that was run how it went.
pub(super) struct Ran {
    /// How many tests passed of a name, as it is told.
    passed: BTreeMap<String, usize>,
    /// The whole names of those that passed, as they are compared.
    keys: BTreeSet<String>,
    /// Whether all tests that were run are named.
    names_all: bool,
    /// How many tests there were, where that is said.
    tests: Option<u32>,
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
        let tests = found.tests.map(|tests| {
            let run = tests.passed.saturating_add(tests.failed);
            run.saturating_add(tests.skipped)
        });
        Self {
            passed: names,
            keys: passed.map(|name| name.key.clone()).collect(),
            names_all: tests.is_some_and(|tests| named.count() >= tests as usize),
            tests,
        }
    }

    /// Whether what failed by the name `id` passed now; `before` is how many tests there were when it failed, where that is known. Where
    /// those that passed are not named, it did if no fewer tests were run.
    pub(super) fn has_passed(&self, id: &str, kind: FailureKind, before: Option<u32>) -> bool {
        if kind == FailureKind::Error {
            return true;
        }
        if !self.names_all {
            return match (before, self.tests) {
                (Some(before), Some(now)) => now >= before,
                _ => true,
            };
        }
        let (name, times) = without_number(id);
        let passed = self.passed.get(name).copied().unwrap_or_default();
        passed >= times || times == 1 && self.keys.contains(&test_key(name))
    }
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

    #[test]
    fn what_was_not_run_did_not_pass() {
        let passed = |text: &str, id: &str, before: u32| {
            let ran = Ran::of(&read_results(text).unwrap());
            ran.has_passed(id, FailureKind::Test, Some(before))
        };
        let cargo = "running 2 tests\ntest m::a ... ok\ntest b ... ignored\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 1 filtered out\n";
        assert!(passed(cargo, "m::a", 3));
        assert!(!passed(cargo, "b", 3) && !passed(cargo, "c", 3) && !passed(cargo, "m::a (2)", 3));
        let xml = "<testsuite><testcase classname=\"t.m\" name=\"a\"/><testcase name=\"x\"/><testcase name=\"x\"/></testsuite>";
        assert!(passed(xml, "t/m.py::a", 9) && passed(xml, "x (2)", 9));
        assert!(!passed(xml, "x (3)", 9));
        // Who prints dots names nobody.
        let dots = "test_a.py .. [100%]\n==== 2 passed in 0.12s ====\n";
        assert!(passed(dots, "test_a.py::test_b", 2) && !passed(dots, "test_a.py::test_b", 3));
        let ran = Ran::of(&read_results(cargo).unwrap());
        assert!(ran.has_passed("E0308: src/a.rs:3", FailureKind::Error, None));
    }
}
