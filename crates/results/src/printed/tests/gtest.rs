use crate::printed::read;

#[test]
fn what_googletest_prints() {
    let text = "[==========] Running 2 tests from 1 test suite.\n[----------] 2 tests from A\n[ RUN      ] A.good\n[       OK ] A.good (0 ms)\n[ RUN      ] A.bad\ntest/a.cc:5: Failure\nExpected equality of these values:\n  1\n  2\n\n[  FAILED  ] A.bad (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.bad\n";
    let found = read(text);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    assert_eq!(found.failures[0].places, ["test/a.cc:5"]);
    assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 1)));
    let crash = read(
        "[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.b\nSegmentation fault\n",
    );
    assert_eq!((&*crash.failures[0].id, crash.is_broken_off), ("A.b", true));
}
