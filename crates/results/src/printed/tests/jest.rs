use crate::TestCount;
use crate::printed::read;

#[test]
fn what_jest_prints() {
    let text = "FAIL src/a.test.js\n  ● Console\n\n    console.log\n      hello\n\n  ● top\n\n    expect(received).toBe(expected)\n\n      at Object.toBe (src/a.test.js:1:31)\n\n  ● adds › two numbers\n\n    boom\n      at src/a.test.js:4:3\n\nFAIL src/b.test.js\n  ● Test suite failed to run\n\n    Cannot find module './nothing'\n\nPASS src/c.test.js\nTest Suites: 2 failed, 1 passed, 3 total\nTests:       2 failed, 4 passed, 6 total\n";
    let found = read(text);
    let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
    assert_eq!(
        ids,
        [
            "top",
            "adds › two numbers",
            "src/b.test.js: Test suite failed to run"
        ]
    );
    assert_eq!(found.failures[1].places, ["src/a.test.js:4"]);
    let count = TestCount {
        passed: 4,
        failed: 2,
        skipped: 0,
    };
    assert_eq!(found.tests, Some(count));
}

#[test]
fn what_ends_in_the_middle_did_not_pass() {
    for text in [
        "PASS src/c.test.js\n",
        "PASS src/c.test.js\nTest Suites: 1 passed, 1 total\n",
    ] {
        assert_eq!(read(text).failures[0].id, "jest did not end", "{text}");
    }
    assert_eq!(read("FAIL src/a.test.js\n").failures[0].id, "src/a.test.js");
}
