use crate::printed::read;
/// The line between a run and the list at its end.
const BAR: &str = "────────────";

#[test]
fn what_nextest_prints() {
    let text = "    Starting 3 tests across 1 binary\n        PASS [   0.004s] (1/3) nx tests::a\n        FAIL [   0.005s] (2/3) nx tests::b\n  stdout ───\n\n    running 1 test\n    test tests::b ... FAILED\n\n    thread 'tests::b' panicked at src/lib.rs:8:24:\n    boom\n\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n\n     SIGSEGV [   0.005s] (3/3) nx tests::c\n────────────\n     Summary [   0.005s] 3 tests run: 1 passed, 2 failed, 0 skipped\n        FAIL [   0.005s] (2/3) nx tests::b\n     SIGSEGV [   0.005s] (3/3) nx tests::c\nerror: test run failed\n";
    let found = read(text);
    let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["nx tests::b", "nx tests::c"], "{found:?}");
    assert_eq!(found.failures[0].places, ["src/lib.rs:8"]);
    let tests = found.tests.unwrap();
    assert_eq!((tests.passed, tests.failed), (1, 2));
    let cut = read("    Starting 3 tests across 1 binary\n        PASS [   0.004s] nx tests::a\n");
    assert_eq!(cut.failures[0].id, "cargo nextest did not end");
}

type Told = (Vec<String>, Vec<String>, Option<(u32, u32, u32)>);

/// Failures, other named tests, and the numbers of passed, failed and skipped tests.
fn told(text: &str) -> Told {
    let found = crate::read_results(text).unwrap();
    let ids = found.failures.iter().map(|it| it.id.clone());
    let passed = found.names.iter().filter(|it| !it.is_bad());
    let count = found.tests;
    (
        ids.collect(),
        passed.map(|it| it.name.clone()).collect(),
        count.map(|it| (it.passed, it.failed, it.skipped)),
    )
}

#[test]
fn what_is_listed_again_at_the_end_is_told_once() {
    let said = "  stderr ───\n\n    thread 'tests::b' panicked at src/lib.rs:5:9:\n    boom\n\n";
    let fail = "        FAIL [   0.005s] a tests::b\n";
    let begin = "    Starting 2 tests across 1 binary\n        PASS [   0.004s] a tests::a\n";
    let summary =
        format!("{BAR}\n     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped\n");
    let error = "error: test run failed\n";
    for text in [
        format!("{begin}{fail}{said}  Cancelling due to test failure\n{summary}{fail}{error}"),
        format!("{begin}{fail}{said}{summary}{fail}{error}"),
        // The output of a failure may be at the end, or in both places.
        format!("{begin}{fail}{summary}{fail}{said}{error}"),
        format!("{begin}{fail}{said}{summary}{fail}{said}{error}"),
        format!("{summary}{fail}{said}{error}"),
    ] {
        let found = crate::read_results(&text).unwrap();
        assert_eq!(found.failures.len(), 1, "{text}\n{found:?}");
        let failure = &found.failures[0];
        assert_eq!((&*failure.id, &*failure.summary), ("a tests::b", "boom"));
        assert!(
            !failure.detail.as_ref().unwrap().contains("error"),
            "{text}"
        );
        assert_eq!(failure.places, ["src/lib.rs:5"]);
        assert_eq!(told(&text).2, Some((1, 1, 0)), "{text}");
    }
}

#[test]
fn what_passes_on_a_later_try_passes() {
    let said = "  stderr ───\n    thread 'x' panicked at src/lib.rs:5:9:\n    boom\n\n";
    let begin = "    Starting 1 test across 1 binary\n";
    let first = format!("  TRY 1 FAIL [   0.004s] (─────) a x\n{said}       DELAY [   0.1s] a x\n");
    let well = "  TRY 2 PASS [   0.004s] (1/1) a x\n";
    let end = |count: &str, last: &str| {
        format!("{BAR}\n     Summary [   0.005s] 1 test run: {count}, 0 skipped\n{last}")
    };
    let flaky = end("1 passed (1 flaky)", "   FLAKY 2/2 [   0.004s] (1/1) a x\n");
    let text = format!("{begin}{first}{well}{flaky}");
    let passed = vec!["a x".to_owned()];
    assert_eq!(told(&text), (vec![], passed.clone(), Some((1, 0, 0))));
    // A run can be configured to count a flaky test as a failure.
    let told_to = "           - test configured to fail if flaky\n";
    let last = format!(" FLKY-FL 2/2 [   0.004s] (1/1) a x\n{told_to}");
    let text = format!("{begin}{first}{well}{told_to}{}", end("1 failed", &last));
    assert_eq!(told(&text), (passed.clone(), vec![], Some((0, 1, 0))));
    // A test that never passes fails once.
    let (second, third) = (
        first.replace("TRY 1", "TRY 2"),
        "  TRY 3 TMT [   0.004s] a x\n",
    );
    let text = format!("{begin}{first}{second}{third}{}", end("1 timed out", third));
    assert_eq!(told(&text), (passed, vec![], Some((0, 1, 0))));
    let found = crate::read_results(&text).unwrap();
    assert_eq!(found.failures[0].summary, "boom");
    // A test whose retry isn't reported hasn't passed either.
    assert_eq!(told(&format!("{begin}{first}")).0[0], "a x");
}

#[test]
fn all_that_it_says_of_tests_is_known() {
    let text = "  SETUP PASS [   0.1s] db: ./start\nTIMEOUT-PASS [ 240.000s] (  3/9) a b\nTRY 2 LKFAIL [   1.000s] ( 18/100) a h\n FAIL + LEAK [   1.000s] ( 10/100) a c\n       XFAIL [   1.000s] ( 11/100) a d\n      SIG 11 [   1.000s] a e\n        SLOW [> 60.000s] a f\n        FAIL [   1.000s] [2/3] (  20/5000) a g\n     Summary [  15.750s] 5/9 tests run: 1 passed (1 slow, 1 leaky), 3 failed, 1 exec failed, 1 timed out, 2 skipped\nwarning: 4/9 tests were not run due to test failure\n";
    let bad = ["a c", "a d", "a e", "a g", "a h"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(told(text), (bad, vec!["a b".to_owned()], Some((1, 5, 2))));
    assert!(crate::read_results(text).unwrap().is_broken_off);
}
