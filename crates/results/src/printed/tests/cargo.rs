use crate::TestCount;
use crate::printed::read;

#[test]
fn what_cargo_prints() {
    let text = "running 3 tests\ntest a::ok ... ok\ntest a::bad ... FAILED\ntest a::quiet - should panic ... FAILED\n\nfailures:\n\n---- a::bad stdout ----\n\nthread 'a::bad' panicked at src/a.rs:7:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n---- a::quiet stdout ----\nnote: test did not panic as expected at src/a.rs:9:4\n\nfailures:\n    a::bad\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\nerror: 1 target failed:\n    `--lib`\n";
    let found = read(text);
    assert_eq!(
        found.tests,
        Some(TestCount {
            passed: 1,
            failed: 2,
            skipped: 0
        })
    );
    assert_eq!(found.failures.len(), 2, "{found:?}");
    assert!(!found.is_broken_off);
    let bad = &found.failures[0];
    assert_eq!(
        (&*bad.id, &*bad.summary),
        ("a::bad", "assertion `left == right` failed")
    );
    assert_eq!(bad.places, ["src/a.rs:7"]);
    assert!(bad.detail.as_ref().unwrap().contains("right: 2"));
    assert_eq!(found.failures[1].places, ["src/a.rs:9"]);
}

#[test]
fn a_program_that_crashes_or_is_cut_did_not_pass() {
    let crash = "running 2 tests\ntest fine ... ok\nerror: test failed, to rerun pass `--test crash`\n\nCaused by:\n  process didn't exit successfully: `/x/crash-1` (signal: 6, SIGABRT)\n     Running tests/ok.rs (x)\n\nrunning 1 test\ntest it ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    let found = read(crash);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    let failure = &found.failures[0];
    assert_eq!(failure.id, "cargo test --test crash did not end");
    assert!(failure.summary.contains("SIGABRT"), "{failure:?}");
    assert_eq!(found.tests.map(|it| it.passed), Some(1));
    let cut =
        read("test result: ok. 1 passed; 0 failed; 0 ignored\n\nrunning 2 tests\ntest a ... ok\n");
    assert!(cut.is_broken_off && cut.failures.len() == 1, "{cut:?}");
}
#[test]
fn what_tests_print_may_go_by_as_it_comes() {
    let text = "running 3 tests\ntest b ... ok\ntest a ... thread 'a' (7) panicked at src/a.rs:3:5:\nassertion failed: x\nnote: run with\nFAILED\ntest c ... FAILED\n\nfailures:\n\nfailures:\n    a\n    c\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n";
    let found = read(text);
    let told = found.failures.iter().map(|it| (&*it.id, &*it.summary));
    let told: Vec<(&str, &str)> = told.collect();
    assert_eq!(told, [("c", ""), ("a", "assertion failed: x")]);
    assert_eq!(found.failures[1].places, ["src/a.rs:3"]);
    assert_eq!(found.unnamed, 0);
}
