//! Real output of test runners in `results/`, by program, with and without colors.

use std::path::Path;

use windlass_results::{Results, read_results};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/results");
    let program = name.split(['-', '.']).next().unwrap();
    std::fs::read_to_string(folder.join(program).join(name)).unwrap()
}

fn read(name: &str) -> Results {
    read_results(&text(name)).unwrap()
}

/// Lists results, one per line: counts, then each failure with its first place.
fn told(found: &Results) -> Vec<String> {
    let count = found.tests.map(|it| {
        format!(
            "{} passed, {} failed, {} skipped",
            it.passed, it.failed, it.skipped
        )
    });
    let cut = found.is_broken_off.then(|| "broken off".to_owned());
    let failures = found.failures.iter().map(|it| {
        let place = it
            .places
            .first()
            .map_or(String::new(), |place| format!(" at {place}"));
        format!("{}: {}{place}", it.id, it.summary)
    });
    count.into_iter().chain(cut).chain(failures).collect()
}

/// Expected results of each failing run: the counts, and each failure with its first place.
const FAILING: [(&str, &[&str]); 15] = [
    (
        "cargo",
        &[
            "2 passed, 4 failed, 1 skipped",
            "broken off",
            "tests::res: Error: \"no\"",
            "tests::should: note: test did not panic as expected at src/lib.rs:11:32 at src/lib.rs:11",
            "tests::bad: assertion `left == right` failed at src/lib.rs:8",
            "cargo test --test crash did not end: process didn't exit successfully: `/home/ann/project/target/debug/deps/crash-d929e6344424ab36` (signal: 6, SIGABRT: process abort signal)",
            "src/lib.rs - a (line 1): Test executable failed (exit status: 101). at src/lib.rs:3",
        ],
    ),
    ("unittest", &UNITTEST),
    (
        "unittest-import",
        &[
            "2 passed, 1 failed, 0 skipped",
            "unittest.loader._FailedTest.test_imp: ModuleNotFoundError: No module named 'nothing_there' at /home/ann/project/test_imp.py:1",
        ],
    ),
    ("pytest", &PYTEST),
    ("pytest-coloured", &PYTEST),
    ("pytest-quiet-coloured", &PYTEST),
    (
        "pytest-import",
        &[
            "0 passed, 1 failed, 0 skipped",
            "broken off",
            "test_imp.py: ModuleNotFoundError: No module named 'nothing_there' at test_imp.py:1",
        ],
    ),
    ("node-spec", &NODE),
    ("node-spec-coloured", &NODE),
    (
        "node-tap",
        &[
            "3 passed, 2 failed, 2 skipped",
            "subtracts badly: Expected values to be strictly equal: 2 !== 1 at /home/ann/project/a.test.js:4",
            "suite › fails inside: boom at /home/ann/project/a.test.js:7",
        ],
    ),
    ("maven", &MAVEN),
    ("maven-coloured", &MAVEN),
    ("jest", &JEST),
    ("mocha", &MOCHA),
    (
        "vitest-coloured",
        &[
            "1 passed, 2 failed, 1 skipped",
            "vt/v.test.ts > top: AssertionError: expected 1 to be 2 // Object.is equality at vt/v.test.ts:2",
            "vt/v.test.ts > math > fails: Error: boom at vt/v.test.ts:3",
        ],
    ),
];
const UNITTEST: [&str; 5] = [
    "2 passed, 4 failed, 2 skipped",
    "test_calc.Calc.test_boom: ValueError: boom at /home/ann/project/test_calc.py:10",
    "test_calc.Calc.test_bad: AssertionError: 2 != 3 at /home/ann/project/test_calc.py:8",
    "test_calc.Calc.test_sub (i=0): AssertionError: 0 != 1 at /home/ann/project/test_calc.py:20",
    "test_calc.Calc.test_sub (i=2): AssertionError: 2 != 1 at /home/ann/project/test_calc.py:20",
];
const PYTEST: [&str; 8] = [
    "5 passed, 7 failed, 2 skipped",
    "test_calc.py::Calc::test_bad: AssertionError: 2 != 3 at test_calc.py:8",
    "test_calc.py::Calc::test_boom: ValueError: boom at test_calc.py:10",
    "test_calc.py::Calc::test_sub (i=0): AssertionError: 0 != 1 at test_calc.py:20",
    "test_calc.py::Calc::test_sub (i=2): AssertionError: 2 != 1 at test_calc.py:20",
    "test_calc.py::test_plain: AssertionError: a is wrong at test_calc.py:24",
    "test_calc.py::test_p[2]: assert 2 == 1 at test_calc.py:28",
    "test_calc.py::test_fixture: RuntimeError: no db at test_calc.py:32",
];
const NODE: [&str; 3] = [
    "3 passed, 2 failed, 2 skipped",
    "subtracts badly: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 2 !== 1 at /home/ann/project/a.test.js:4",
    "fails inside: Error: boom at /home/ann/project/a.test.js:7",
];
const MAVEN: [&str; 3] = [
    "2 passed, 2 failed, 1 skipped",
    "a.CalcTest.bad: java.lang.AssertionError: sum expected:<3> but was:<2> at CalcTest.java:6",
    "a.CalcTest.boom: java.lang.IllegalStateException: boom at CalcTest.java:7",
];
const JEST: [&str; 4] = [
    "1 passed, 2 failed, 2 skipped",
    "top: expect(received).toBe(expected) // Object.is equality at jt/j.test.js:1",
    "math › fails: boom at jt/j.test.js:2",
    "jt/broken.test.js: Test suite failed to run: Cannot find module './nothing' from 'jt/broken.test.js' at jt/broken.test.js:1",
];
const MOCHA: [&str; 4] = [
    "1 passed, 3 failed, 1 skipped",
    "top: Error: top broke at test/m.js:3",
    "math › subtracts: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 2 !== 1 at test/m.js:2",
    "math › deep › boom: Error: boom at test/m.js:2",
];

#[test]
fn failure_has_its_reason_and_place() {
    for (name, expected) in FAILING {
        assert_eq!(told(&read(&format!("{name}.txt"))), expected, "{name}");
    }
    let go = [
        "brk/b_test.go:3: undefined: undefined_thing: undefined: undefined_thing at brk/b_test.go:3",
        "example.org/g.TestBad: a_test.go:4: wanted 1, got 2 at example.org/g/a_test.go:4",
        "example.org/g.TestSub/one: a_test.go:6: inner broke at example.org/g/a_test.go:6",
        "example.org/g/brk [build failed]: example.org/g/brk [build failed]",
        "example.org/g/pan.TestPanic: panic: assignment to entry in nil map [recovered] at /home/ann/project/pan/p_test.go:4",
        "example.org/g/sub.TestBad: s_test.go:3: in sub at example.org/g/sub/s_test.go:3",
    ];
    assert_eq!(told(&read("go.txt")), go);
    assert_eq!(told(&read("go-loud.txt"))[1..], go);
    assert_eq!(told(&read("go-json.txt"))[1..], go[1..3]);
    let ctest = [
        "1 passed, 4 failed, 2 skipped",
        "bad: Failed",
        "crash: Exception: SegFault",
        "missing: Not Run",
        "slow: Timeout",
    ];
    assert_eq!(told(&read("ctest-coloured.txt")), ctest);
    assert_eq!(told(&read("ctest.txt"))[1], "bad: Failed at src/a.c:12");
    let crash = read("maven-crash.txt");
    assert!(crash.is_broken_off && crash.failures.iter().any(|it| it.id == "a.CrashTest"));
}

#[test]
fn whatever_is_printed_beside_it_the_same_fails() {
    let ids = |name: &str| {
        let mut ids: Vec<String> = read(name).failures.into_iter().map(|it| it.id).collect();
        ids.sort();
        ids
    };
    for (one, other) in [
        ("jest.txt", "jest-coloured.txt"),
        ("mocha.txt", "mocha-coloured.txt"),
        ("cargo.txt", "cargo-coloured.txt"),
        ("unittest.txt", "unittest-loud.txt"),
        ("pytest.txt", "pytest-native.txt"),
        ("pytest.txt", "pytest-loud-coloured.txt"),
        ("node-spec.txt", "node-dot.txt"),
    ] {
        assert_eq!(ids(one), ids(other), "{other}");
    }
    assert_eq!(ids("pytest-xdist.txt").len(), ids("pytest.txt").len());
    assert_eq!(ids("mocha-tap.txt").len(), ids("mocha.txt").len());
}

/// A run may be killed at any time, so output without its end must never pass.
#[test]
fn no_beginning_of_an_output_passes() {
    for (name, verdict) in [
        ("cargo-passes.txt", "test result: ok"),
        ("unittest-passes.txt", "OK"),
        ("pytest-passes-coloured.txt", "2 passed"),
        ("pytest-passes-quiet.txt", "2 passed"),
        ("node-tap-passes.txt", "1..1"),
        ("node-spec-passes.txt", "ℹ tests"),
        ("go-passes-loud.txt", "PASS\n"),
        ("ctest-passes.txt", "100% tests passed"),
        ("maven-passes.txt", "Skipped: 0\n"),
    ] {
        let whole = text(name);
        assert!(read(name).failures.is_empty(), "{name}");
        let end = whole.find(verdict).unwrap();
        // Look anywhere near the verdict, and only at the ends of lines before that.
        let is_looked_at = |at: &usize| {
            whole.is_char_boundary(*at) && (end - at < 120 || whole[..*at].ends_with('\n'))
        };
        for at in (0..end).filter(is_looked_at) {
            let found = read_results(&whole[..at]).unwrap();
            let passes = found.is_recognised && found.failures.is_empty();
            assert!(
                !passes || whole[..at].trim().is_empty(),
                "{name}: {}",
                &whole[..at]
            );
        }
    }
    for (name, _) in FAILING {
        let whole = text(&format!("{name}.txt"));
        let mut known = 0;
        let lines = whole.matches('\n').count();
        for (at, _) in whole.match_indices('\n').step_by(lines / 60 + 1) {
            let found = read_results(&whole[..at]).unwrap();
            // Once a failure has been printed, all output from there on has to fail.
            assert!(
                known == 0 || !found.failures.is_empty(),
                "{name}: {}",
                &whole[..at]
            );
            known = known.max(found.failures.len());
        }
    }
}
