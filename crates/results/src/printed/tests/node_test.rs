use crate::printed::read;

const SPEC: &str = "✔ adds (0.789348ms)\n▶ suite\n  ✔ works (0.16ms)\n  ✖ fails inside (0.07ms)\n    Error: boom\n        at TestContext.<anonymous> (/p/a.test.js:7:36)\n        at Test.run (node:internal/test_runner/test:796:25)\n\n  ﹣ later (0.05ms) # SKIP\n✖ suite (0.61ms)\nℹ tests 3\nℹ suites 1\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 231.3\n\n✖ failing tests:\n\ntest at a.test.js:7:3\n✖ fails inside (0.07ms)\n  Error: boom\n      at TestContext.<anonymous> (/p/a.test.js:7:36)\n";

#[test]
fn what_the_reporter_for_people_prints() {
    let found = read(SPEC);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    let failure = &found.failures[0];
    assert_eq!(
        (&*failure.id, &*failure.summary),
        ("fails inside", "Error: boom")
    );
    assert_eq!(failure.places, ["/p/a.test.js:7", "a.test.js:7"]);
    let tests = found.tests.unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 1));
    for (at, _) in SPEC.match_indices('\n') {
        let cut = read(&SPEC[..at]);
        assert!(!cut.failures.is_empty(), "{at}: {cut:?}");
    }
}

#[test]
fn what_the_reporter_of_dots_prints() {
    let found = read(
        ".X.\n\nFailed tests:\n\n✖ subtracts (0.8ms)\n  AssertionError: no\n✖ suite (0.6ms)\n  '1 subtest failed'\n",
    );
    let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["subtracts"]);
    assert!(found.is_uncounted && !read(SPEC).is_uncounted);
}

#[test]
fn a_test_that_is_yet_to_be_done_does_not_fail() {
    let one = |name: &str, mark: &str| {
        format!("✖ {name} (0.5ms){mark}\n  Error: no\n      at x (/p/a.test.js:3:4)\n\n")
    };
    let all = format!(
        "{}{}{}",
        one("adds", ""),
        one("later", " # TODO"),
        one("why", " # TODO it # is hard")
    );
    let spec = format!(
        "{all}✔ fine (0.19ms)\nℹ tests 4\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 2\n\n✖ failing tests:\n\n{all}"
    );
    let dots = format!("XXX.\n\nFailed tests:\n\n{all}");
    for text in [spec, dots] {
        let found = read(&text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["adds"], "{text}");
    }
}

#[test]
fn lists_of_others_are_not_taken() {
    let found = read("✔ Compiled (31ms)\n✔ Done\n");
    assert!(
        found.failures.is_empty() && !found.is_recognised,
        "{found:?}"
    );
}
