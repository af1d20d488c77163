use crate::Failure;
use crate::printed::go_json::is_json;
use crate::printed::read;

fn told(failures: &[Failure]) -> Vec<(&str, &str)> {
    failures.iter().map(|it| (&*it.id, &*it.summary)).collect()
}

const PLAIN: &str = "--- FAIL: TestBad (0.00s)\n    a_test.go:4: wanted 1, got 2\n    a_test.go:4: more\n        lines\n--- FAIL: TestSub (0.00s)\n    --- FAIL: TestSub/one (0.00s)\n        a_test.go:6: inner broke\nFAIL\nFAIL\texample.org/g\t0.006s\nok  \texample.org/g/ok\t0.004s\n--- FAIL: TestBad (0.00s)\n    s_test.go:3: in sub\nFAIL\nFAIL\texample.org/g/sub\t0.005s\nFAIL\n";
const LOUD: &str = "=== RUN   TestOK\n--- PASS: TestOK (0.00s)\n=== RUN   TestBad\n    a_test.go:4: wanted 1, got 2\n    a_test.go:4: more\n        lines\n--- FAIL: TestBad (0.00s)\n=== RUN   TestSub\n=== RUN   TestSub/one\n    a_test.go:6: inner broke\n=== RUN   TestSub/two\n--- FAIL: TestSub (0.00s)\n    --- FAIL: TestSub/one (0.00s)\n    --- PASS: TestSub/two (0.00s)\n=== RUN   TestSkip\n    a_test.go:9: later\n--- SKIP: TestSkip (0.00s)\nFAIL\nFAIL\texample.org/g\t0.002s\nok  \texample.org/g/ok\t0.004s\n=== RUN   TestBad\n    s_test.go:3: in sub\n--- FAIL: TestBad (0.00s)\nFAIL\nFAIL\texample.org/g/sub\t0.023s\nFAIL\n";

#[test]
fn what_go_prints_loud_or_not() {
    for text in [PLAIN, LOUD] {
        let found = read(text);
        assert_eq!(
            told(&found.failures),
            [
                ("example.org/g.TestBad", "a_test.go:4: wanted 1, got 2"),
                ("example.org/g.TestSub/one", "a_test.go:6: inner broke"),
                ("example.org/g/sub.TestBad", "s_test.go:3: in sub"),
            ]
        );
        assert!(!found.is_broken_off);
        assert_eq!(found.failures[1].places, ["example.org/g/a_test.go:6"]);
        assert!(
            found.failures[0]
                .detail
                .as_ref()
                .unwrap()
                .ends_with("lines")
        );
    }
    let tests = read(LOUD).tests.unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (2, 4, 1));
    assert_eq!(read(PLAIN).tests, None);
}

#[test]
fn tests_that_are_run_again_are_counted_once() {
    let run = |package: &str, a: &str, b: &str, said: &str| {
        let verdict = if a == "FAIL" || b == "FAIL" {
            "FAIL"
        } else {
            "PASS"
        };
        let end = if verdict == "FAIL" {
            "FAIL\t"
        } else {
            "ok  \t"
        };
        format!(
            "=== RUN   TestA\n    a_test.go:3: {said}\n--- {a}: TestA (0.00s)\n=== RUN   TestB\n--- {b}: TestB (0.00s)\n{verdict}\n{end}{package}\t0.1s\n"
        )
    };
    let of = |text: &str| {
        let found = crate::read_results(text).unwrap();
        let names = crate::named_test::count_of(&found.names);
        let ids = found.failures.into_iter().map(|it| it.id);
        let tests = found.tests.unwrap();
        assert_eq!(names, tests, "{text}");
        (
            ids.collect::<Vec<String>>(),
            (tests.passed, tests.failed, tests.skipped),
        )
    };
    let bad = |said| run("e.org/m", "FAIL", "PASS", said);
    let a = vec!["e.org/m.TestA".to_owned()];
    assert_eq!(of(&bad("no").repeat(3)), (a.clone(), (1, 1, 0)));
    assert_eq!(
        of(&format!("{}{}", bad("1"), bad("2"))),
        (a.clone(), (1, 1, 0))
    );
    let well = run("e.org/m", "PASS", "SKIP", "");
    assert_eq!(of(&format!("{}{well}", bad("1"))), (a.clone(), (1, 1, 0)));
    assert_eq!(of(&format!("{well}{}", bad("1"))), (a.clone(), (1, 1, 0)));
    // Another package may have tests of the same names.
    let other = run("e.org/n", "PASS", "PASS", "");
    assert_eq!(of(&format!("{}{other}", bad("1"))), (a, (3, 1, 0)));
}

#[test]
fn failed_package_without_tests_is_reported() {
    let panic = "--- FAIL: TestPanic (0.00s)\npanic: assignment to entry in nil map [recovered]\n\tpanic: assignment\n\ngoroutine 7 [running]:\ntesting.tRunner()\n\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e\nexample.org/g/pan.TestPanic(0x1)\n\t/home/ann/g/pan/p_test.go:4 +0x2e\nFAIL\texample.org/g/pan\t0.006s\n";
    let found = read(panic);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    assert_eq!(found.failures[0].places, ["/home/ann/g/pan/p_test.go:4"]);
    let late = "panic: test timed out after 1s\nrunning tests:\n\tTestSlow (1s)\n\ngoroutine 1 [running]:\nFAIL\texample.org/g\t1.006s\nFAIL\n";
    assert_eq!(
        told(&read(late).failures),
        [("example.org/g", "panic: test timed out after 1s")]
    );
    let os = "=== RUN   TestExit\nsaid by it\nexit status 3\nFAIL\texample.org/g\t0.006s\n";
    assert_eq!(
        told(&read(os).failures),
        [("example.org/g: TestExit did not end", "said by it")]
    );
    let broken =
        "# example.org/c\n./b.go:3:5: undefined: x\nFAIL\texample.org/c [build failed]\nFAIL\n";
    assert_eq!(
        told(&read(broken).failures),
        [
            ("b.go:3: undefined: x", "undefined: x"),
            (
                "example.org/c [build failed]",
                "example.org/c [build failed]"
            )
        ]
    );
}

#[test]
fn what_ends_in_the_middle_did_not_pass() {
    for cut in [
        "=== RUN   TestA\n",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n",
    ] {
        let found = read(cut);
        assert!(
            found.is_broken_off && found.failures.len() == 1,
            "{found:?}"
        );
    }
    for whole in [
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.org/a\t0.01s\n",
    ] {
        let found = read(whole);
        assert!(
            !found.is_broken_off && found.failures.is_empty(),
            "{found:?}"
        );
    }
}

#[test]
fn events_are_read_as_what_was_printed() {
    let mut text = String::new();
    for (package, line) in [
        ("a.org/a", "=== RUN   TestA\n"),
        ("a.org/b", "=== RUN   TestB\n"),
        ("a.org/a", "    a_test.go:3: no\n"),
        ("a.org/a", "--- FAIL: TestA (0.00s)\n"),
        ("a.org/b", "--- PASS: TestB (0.00s)\n"),
        ("a.org/b", "ok  \ta.org/b\t0.1s\n"),
        ("a.org/a", "FAIL\ta.org/a\t0.1s\n"),
    ] {
        let event = serde_json::json!({"Action": "output", "Package": package, "Output": line});
        text.push_str(&format!("{event}\n"));
    }
    let aside = "go: downloading a.org/z v1.0.0\n".repeat(30);
    let behind = "FAIL\nexit status 1\n";
    for text in [
        text.clone(),
        format!("{aside}{text}"),
        format!("{text}{behind}"),
    ] {
        assert!(is_json(&text));
        let found = read(&text);
        assert_eq!(
            told(&found.failures),
            [("a.org/a.TestA", "a_test.go:3: no")]
        );
        assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 1)));
    }
    // If a test prints an event, it's no event of the run.
    let printed = format!("=== RUN   TestJson\n{text}{}", LOUD.repeat(3));
    assert!(!is_json(&printed));
}
