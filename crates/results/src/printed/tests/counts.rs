use crate::TestCount;
use crate::printed::read;

#[test]
fn count_lines_are_told_from_others() {
    for (line, expected) in [
        (
            "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            (3, 1, 2),
        ),
        ("===== 12 passed, 1 warning in 0.31s =====", (12, 0, 0)),
        (
            "1 failed, 2 errors, 3 skipped in 61.02s (0:01:01)",
            (0, 3, 3),
        ),
        ("Tests:       1 failed, 4 passed, 5 total", (4, 1, 0)),
        ("  4 passing (31ms)", (4, 0, 0)),
        ("  1 failing", (0, 1, 0)),
        ("3 examples, 1 failure, 1 pending", (1, 1, 1)),
        (
            "0 examples, 0 failures, 1 error occurred outside of examples",
            (0, 1, 0),
        ),
        (
            "3 runs, 5 assertions, 1 failures, 1 errors, 0 skips",
            (1, 2, 0),
        ),
        ("2 tests, 0 failures", (2, 0, 0)),
        (
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 9 ms",
            (3, 1, 0),
        ),
        (
            "Tests: 3, Assertions: 4, Failures: 1, Skipped: 1.",
            (1, 1, 1),
        ),
        ("OK (3 tests, 4 assertions)", (3, 0, 0)),
        (
            "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds",
            (2, 1, 0),
        ),
        ("FAILED | 1 passed | 2 failed (10ms)", (1, 2, 0)),
        ("3 passed, 1 failed, 1 skipped", (3, 1, 1)),
        (
            "      Tests  1 failed | 2 passed | 1 expected fail (4)",
            (2, 1, 1),
        ),
    ] {
        let expected = TestCount {
            passed: expected.0,
            failed: expected.1,
            skipped: expected.2,
        };
        assert_eq!(read(line).tests, Some(expected), "{line}");
    }
    for line in [
        "Test Suites: 1 failed, 1 total",
        "We passed 3 hills in 2 hours.",
        "3 passed by in a car",
        "2 passing cars",
        "5 files changed in 2s",
        "3 tests, and more",
        "Tests: none",
    ] {
        assert_eq!(read(line).tests, None, "{line}");
    }
}
