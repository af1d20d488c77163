//! Test results: a failed test is never lost, regardless of the output in front of it.

use windlass_results::read_results;

/// Complete reports of one failed test, from different programs.
const FAILED: [&str; 3] = [
    "\nrunning 1 test\ntest a::lost_or_not ... FAILED\n\nfailures:\n    a::lost_or_not\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
    "\n=================== short test summary info ===================\nFAILED test_a.py::lost_or_not - assert 1 == 2\n===== 1 failed in 0.12s =====\n",
    "\n--- FAIL: lost_or_not (0.00s)\n    a_test.go:4: no\nFAIL\nFAIL\texample.org/g\t0.006s\nFAIL\n",
];

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = read_results(&text);
    for report in FAILED {
        // Text that isn't results is refused as a whole. That's fine, because the caller gets an
        // error rather than a result without the failure.
        let Ok(found) = read_results(&format!("{text}{report}")) else {
            continue;
        };
        let is_counted = found.tests.is_some_and(|tests| tests.failed > 0);
        assert!(
            !found.failures.is_empty() || is_counted || found.unnamed > 0 || found.is_broken_off,
            "{text:?} hides {report:?}"
        );
    }
}
