use crate::printed::read;

#[test]
fn what_vitest_prints() {
    let text = " RUN  v4.1.12 /p\n\n ❯ vt/v.test.ts (4 tests | 1 failed) 6ms\n   × top 4ms\n     ✓ adds 0ms\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  vt/v.test.ts > math > top\nAssertionError: expected 1 to be 2\n\n ❯ vt/v.test.ts:2:31\n    1| import\n\n⎯⎯⎯[1/1]⎯\n\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 2 skipped (4)\n   Start at  23:24:04\n";
    let found = read(text);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    assert_eq!(found.failures[0].id, "vt/v.test.ts > math > top");
    assert_eq!(found.failures[0].places, ["vt/v.test.ts:2"]);
    let tests = found.tests.unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 2));
    let cut = read(" RUN  v4.1.12 /p\n   × top 4ms\n");
    assert_eq!((&*cut.failures[0].id, cut.failures.len()), ("top", 2));
}
