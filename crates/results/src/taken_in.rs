//! Names all tests and keeps their failures. A test that was run twice counts once.

use std::collections::{BTreeMap, BTreeSet};

use crate::labels::{Labels, labelled};
use crate::named_test::{NamedTest, TestOutcome};
use crate::{Failure, FailureKind};

fn outcome_of(failure: &Failure) -> TestOutcome {
    match failure.kind {
        FailureKind::Test => TestOutcome::Failed,
        FailureKind::Error => TestOutcome::Error,
    }
}

/// Returns the failures to keep, at most `most`, and the names of all tests.
///
/// Each failure has a unique name: those of the same name are numbered if labels don't distinguish
/// them.
pub(super) fn taken_in(
    failures: Vec<Failure>,
    labels: &Labels,
    most: usize,
) -> (Vec<Failure>, Vec<NamedTest>) {
    let mut by_id: BTreeMap<String, Vec<(Said, bool)>> = BTreeMap::new();
    let mut by_key: BTreeMap<String, Vec<Said>> = BTreeMap::new();
    let (mut taken, mut names) = (Vec::new(), Vec::new());
    for failure in failures {
        let said: Said = (failure.summary.clone(), failure.detail.clone());
        let label = labels.of_failure(&failure);
        // Leave out the failure's file, because other programs don't include it in a test's
        // name.
        let suite = match label {
            Some(label) if failure.suite.is_empty() && !failure.within.is_empty() => label,
            _ => &failure.suite,
        };
        let mut name = NamedTest::of(suite, &failure.id, outcome_of(&failure));
        let told = labelled(&failure.id, label);
        let same = by_id.entry(told.clone()).or_default();
        // Several parts of the text may report the same failure.
        name.is_listed = match same.iter().find(|(known, _)| *known == said) {
            Some((_, is_listed)) => *is_listed,
            None => {
                let is_listed = taken.len() < most;
                same.push((said.clone(), is_listed));
                let id = match same.len() {
                    1 => told,
                    times => format!("{told} ({times})"),
                };
                name.name.clone_from(&id);
                if is_listed {
                    taken.push(Failure {
                        id,
                        suite: String::new(),
                        within: Vec::new(),
                        ..failure.clone()
                    });
                }
                is_listed
            }
        };
        name.within = failure.within;
        let same = by_key.entry(name.key.clone()).or_default();
        if !same.contains(&said) {
            same.push(said);
            names.push(name);
        }
    }
    (taken, names)
}

/// Summary and detail of a failure.
type Said = (String, Option<String>);

/// Returns the names of `failures` and of the tests in `seen`, each once.
///
/// Tests of the same name and outcome are numbered in the order found. Failures in `seen` are not,
/// because one of them may have been reported several times.
pub(super) fn told_apart(failures: Vec<NamedTest>, seen: Vec<NamedTest>) -> Vec<NamedTest> {
    let mut known: BTreeSet<String> = failures.iter().map(|name| name.key.clone()).collect();
    let whole = seen.iter().filter(|name| name.is_whole);
    let passed = whole.filter(|name| name.outcome == TestOutcome::Passed);
    let passed: BTreeSet<String> = passed.map(|name| name.key.clone()).collect();
    let mut times: BTreeMap<(String, TestOutcome), u32> = BTreeMap::new();
    let mut names = Vec::with_capacity(failures.len() + seen.len());
    let kept = failures.len();
    for (at, mut name) in failures.into_iter().chain(seen).enumerate() {
        if at >= kept && name.is_bad() {
            if known.insert(name.key.clone()) {
                names.push(name);
            }
            continue;
        }
        // A failure counts more than a pass, and a pass counts more than a skip.
        let is_told = known.contains(&name.key)
            || name.outcome == TestOutcome::Skipped && passed.contains(&name.key);
        if at >= kept && name.is_whole && is_told {
            continue;
        }
        let times = times.entry((name.key.clone(), name.outcome)).or_default();
        *times += 1;
        // The same test was run again.
        if *times > 1 && name.is_whole {
            continue;
        }
        if *times > 1 {
            name.key = format!("{} ({times})", name.key);
        }
        names.push(name);
    }
    names
}

/// Returns the number of failures that are named but not kept.
pub(super) fn left_out(names: &[NamedTest]) -> u32 {
    let left_out = names.iter().filter(|name| name.is_bad() && !name.is_listed);
    u32::try_from(left_out.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named_test::count_of;
    use crate::read_results;

    #[test]
    fn named_tests_are_counted_by_name() {
        for text in [
            "     Running unittests src/lib.rs (target/debug/deps/a-1c67fa3a)\n\nrunning 3 tests\ntest x ... ok\ntest y ... FAILED\ntest z ... ignored, why\n\nfailures:\n\n---- y stdout ----\nno\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n     Running unittests src/lib.rs (target/debug/deps/b-2c67fa3a)\n\nrunning 1 test\ntest x ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            "    Starting 2 tests across 1 binary\n        PASS [   0.005s] (1/2) a::b x\n        FAIL [   0.005s] (2/2) a::b y\n  stderr ───\n    no\n     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 0 skipped\n",
            "=== RUN   TestA\n=== RUN   TestA/x\n    a_test.go:5: no\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nFAIL\nFAIL\texample.org/a\t0.01s\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.org/b\t0.01s\n",
            "============ test session starts ============\ntests/test_a.py::test_a PASSED   [ 50%]\ntests/test_a.py::test_b FAILED   [100%]\n===== FAILURES =====\n____ test_b ____\nE   no\n==== short test summary info ====\nFAILED tests/test_a.py::test_b - no\n===== 1 failed, 1 passed in 0.12s =====\n",
            "test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b) ... skipped 'x'\ntest_c (m.C.test_c) ... FAIL\n\n======================================================================\nFAIL: test_c (m.C.test_c)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"m.py\", line 3, in test_c\nAssertionError: no\n\n----------------------------------------------------------------------\nRan 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n",
            "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n[ RUN      ] S.b\nno\n[  FAILED  ] S.b (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n",
            "TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n1..3\n",
            "  Suite\n    ✔ a\n    inner\n      ✔ a (50ms)\n      - later\n    1) b\n\n  2 passing (5ms)\n  1 pending\n  1 failing\n\n  1) Suite\n       b:\n     Error: no\n",
            "<testsuite><testcase classname=\"a\" name=\"x\"/><testcase classname=\"a\" name=\"y\"><failure message=\"no\"/></testcase><testcase classname=\"a\" name=\"z\"><skipped/></testcase></testsuite>",
            "Test project /b\n    Start 1: a\n1/2 Test #1: a ................   Passed    0.00 sec\n    Start 2: b\n2/2 Test #2: b ................***Failed    0.00 sec\nno\n\n50% tests passed, 1 tests failed out of 2\n",
        ] {
            let found = read_results(text).unwrap();
            assert_eq!(Some(count_of(&found.names)), found.tests, "{text}");
            assert_eq!(left_out(&found.names), 0, "{text}");
        }
        // Progress dots name no tests.
        let found = read_results(
            "test_a.py .F [100%]\n==== short test summary info ====\nFAILED test_a.py::test_b - no\n==== 1 failed, 1 passed in 0.12s ====\n",
        )
        .unwrap();
        assert_ne!(Some(count_of(&found.names)), found.tests);
        let mut names = found.names.iter();
        assert!(names.any(|it| it.is_bad() && it.key == "test_a.test_b"));
    }

    #[test]
    fn of_very_many_failures_all_are_known_by_name() {
        let line = |n: usize| format!("FAILED a.py::test_{n} - no\n");
        let text: String = (0..2_500).chain(0..2_500).map(line).collect();
        let found = read_results(&text).unwrap();
        assert_eq!((found.failures.len(), found.left_out), (200, 2_300));
        assert_eq!(count_of(&found.names).failed, 2_500);
    }
}
