use crate::printed::read;

#[test]
fn failures_of_tests_of_one_name_are_all_kept() {
    let one = |said: &str| {
        format!(
            "test a ... FAILED\n\n---- a stdout ----\nthread 'a' panicked at src/a.rs:7:9:\n{said}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
        )
    };
    let found = crate::read_results(&format!("{}{}", one("first"), one("second"))).unwrap();
    let told: Vec<(&str, &str)> = found
        .failures
        .iter()
        .map(|it| (&*it.id, &*it.summary))
        .collect();
    assert_eq!(told, [("a", "first"), ("a (2)", "second")]);
}

#[test]
fn that_something_failed_is_never_lost() {
    let text = "ok  \texample.org/a\t0.01s\nsrc/app.ts(3,5): error TS2322: no\n./b.go:3:5: undefined: x\nFAIL\texample.org/c [build failed]\n";
    let found = read(text);
    assert_eq!(found.failures[0].places, ["src/app.ts:3"]);
    let told: Vec<&str> = found.failures.iter().map(|it| &*it.summary).collect();
    assert_eq!(
        told,
        ["TS2322: no", "undefined: x", "example.org/c [build failed]"]
    );
}

#[test]
fn what_pytest_and_go_print() {
    let text = "FAILED tests/test_a.py::test_b - AssertionError: x\n--- FAIL: TestName (0.00s)\n    a_test.go:5: wanted 1\nFAIL\n";
    let found = read(text);
    let told: Vec<(&str, &str)> = found
        .failures
        .iter()
        .map(|it| (&*it.id, &*it.summary))
        .collect();
    assert_eq!(
        told,
        [
            ("tests/test_a.py::test_b", "AssertionError: x"),
            ("TestName", "a_test.go:5: wanted 1")
        ]
    );
    assert_eq!(found.failures[1].places, ["a_test.go:5"]);
}
