use crate::printed::read;

#[test]
fn names_are_joined_with_what_is_told() {
    let text = "==== test session starts ====\ncollected 2 items\n\ntest_a.py F.                [100%]\n\n==== FAILURES ====\n____ Case.test_b[1.5] ____\n\nself = <x>\n\n    def test_b(self):\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:8: AssertionError\n==== short test summary info ====\nFAILED test_a.py::Case::test_b[1.5] - assert 1 == 2\n==== 1 failed, 1 passed in 0.02s ====\n";
    let found = read(text);
    assert_eq!(found.failures.len(), 1, "{found:?}");
    let failure = &found.failures[0];
    assert_eq!(failure.id, "test_a.py::Case::test_b[1.5]");
    assert_eq!(failure.summary, "assert 1 == 2");
    assert_eq!(failure.places, ["test_a.py:8"]);
    assert!(failure.detail.as_ref().unwrap().contains("def test_b"));
    // Output that ends before the names still has a failure, named by as much as we know.
    for (at, _) in text.match_indices('\n') {
        let cut = read(&text[..at]);
        assert!(!cut.failures.is_empty(), "{at}: {cut:?}");
    }
    let cut = read(text.split("==== short").next().unwrap());
    assert_eq!(cut.failures[0].id, failure.id);
    assert!(cut.is_broken_off);
}

#[test]
fn all_ways_to_go_wrong_are_told() {
    for (text, id) in [
        (
            "FAILED tests/test_a.py::test_b - AssertionError: x\n",
            "tests/test_a.py::test_b",
        ),
        ("test_a.py::test_b FAILED     [ 50%]\n", "test_a.py::test_b"),
        (
            "[gw1] [ 50%] FAILED test_a.py::test_b\n",
            "test_a.py::test_b",
        ),
        (
            "SUBFAILED(i=0) test_a.py::C::test_b - no\n",
            "test_a.py::C::test_b (i=0)",
        ),
        ("..F.     [100%]\n", "1 failed test"),
        (
            "==== test session starts ====\nERROR: file or directory not found: x.py\n",
            "file or directory not found: x.py",
        ),
        (
            "==== test session starts ====\nINTERNALERROR> Traceback\nINTERNALERROR> ValueError: x\n==== no tests ran in 0.01s ====\n",
            "pytest: internal error",
        ),
        (
            "==== short test summary info ====\nERROR test_imp.py\n!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.08s ====\n",
            "test_imp.py",
        ),
        (
            "test_a.py ..     [ 50%]\n!!!! KeyboardInterrupt !!!!\n==== 2 passed in 1.00s ====\n",
            "pytest did not end",
        ),
        ("1 failed, 3 passed in 0.12s\n", "1 failed test"),
    ] {
        let found = read(text);
        assert_eq!(
            found.failures.first().map(|it| &*it.id),
            Some(id),
            "{found:?}"
        );
    }
}

/// Returns the names of failures with their messages.
fn told(text: &str) -> Vec<(String, String)> {
    let failures = read(text).failures.into_iter();
    failures.map(|it| (it.id, it.summary)).collect()
}

#[test]
fn separator_may_be_part_of_the_name() {
    for (name, title) in [
        ("t.py::test_p[x - y]", "test_p[x - y]"),
        ("t.py::test_p[a] - b]", "test_p[a] - b]"),
        ("t.py::C::test_p[x - y - z]", "C.test_p[x - y - z]"),
        ("t.py::test_p", "test_p"),
    ] {
        let summary = "==== short test summary info ====\n";
        let line = format!("FAILED {name} - assert 'x - y]' == 1\n");
        let end = "==== 1 failed in 0.02s ====\n";
        let block = format!("==== FAILURES ====\n____ {title} ____\nE   no\n");
        let whole = format!("{name} FAILED   [100%]\n{block}{summary}{line}{end}");
        let expected = [(name.to_owned(), "assert 'x - y]' == 1".to_owned())];
        assert_eq!(told(&whole), expected);
        // Without the block, the first line that ends as a name does counts as one.
        if !name.contains("a] -") {
            assert_eq!(told(&format!("{summary}{line}{end}")), expected);
        }
    }
    let bare = "==== short test summary info ====\nFAILED t.py::test_p[x - y]\n==== 1 failed in 0.02s ====\n";
    assert_eq!(told(bare)[0].0, "t.py::test_p[x - y]");
}

#[test]
fn what_a_test_prints_as_a_last_line_is_none() {
    let begin = "==== test session starts ====\nt.py .FF     [100%]\n==== FAILURES ====\n";
    let one = |name: &str, printed: &str| {
        format!(
            "____ {name} ____\nE   no\n\nt.py:4: AssertionError\n---- Captured stdout call ----\n{printed}"
        )
    };
    let line = "=== 5 failed, 3 passed in 0.1s ===\n";
    let summary =
        "==== short test summary info ====\nFAILED t.py::test_a - no\nFAILED t.py::test_z - no\n";
    let end = "==== 2 failed, 1 passed in 0.02s ====\n";
    let several = format!("{line}--- FAIL: TestFake (0.00s)\n{line}test fake ... FAILED\n");
    for printed in [line, &several] {
        for text in [
            format!(
                "{}{}{summary}{end}",
                one("test_a", printed),
                one("test_z", "")
            ),
            format!(
                "{}{}{summary}{end}",
                one("test_a", ""),
                one("test_z", printed)
            ),
        ] {
            let found = read(&format!("{begin}{text}{begin}{end}"));
            let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
            assert_eq!(ids, ["t.py::test_a", "t.py::test_z"], "{text}");
            let tests = found.tests.map(|it| (it.passed, it.failed));
            assert_eq!(
                (tests, found.is_broken_off),
                (Some((2, 4)), false),
                "{text}"
            );
        }
    }
    // Without names after it, the last line counts.
    let short = format!("{begin}{}{}{end}", one("test_a", line), one("test_z", ""));
    let found = read(&short);
    assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 2)));
}

#[test]
fn a_line_for_each_failure_has_its_place() {
    let text = "==== test session starts ====\ntests/test_a.py FFF    [100%]\n==== FAILURES ====\n/p/tests/test_a.py:4: AssertionError: assert 1 == 2\n/p/src/lib.py:9: KeyError: 'a long text'\n==== short test summary info ====\nFAILED tests/test_a.py::test_y - KeyError: 'a lo...\nFAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2\nFAILED tests/test_a.py::test_z - no\n==== 3 failed in 0.02s ====\n";
    let found = read(text);
    let places = found.failures.iter().map(|it| (&*it.id, &it.places[..]));
    let places: Vec<(&str, &[String])> = places.collect();
    assert_eq!(
        places,
        [
            (
                "tests/test_a.py::test_y",
                &["/p/src/lib.py:9".to_owned()][..]
            ),
            (
                "tests/test_a.py::test_x",
                &["/p/tests/test_a.py:4".to_owned()][..]
            ),
            ("tests/test_a.py::test_z", &[][..]),
        ]
    );
}

#[test]
fn line_cut_at_screen_width_is_completed() {
    let of = |said: &str, block: &str| {
        let text = format!(
            "==== test session starts ====\n==== FAILURES ====\n{block}==== short test summary info ====\nFAILED t.py::test_a - {said}\n==== 1 failed in 0.02s ====\n"
        );
        told(&text)[0].1.clone()
    };
    let block = "____ test_a ____\nE   ValueError: first\n\nDuring it:\nE       KeyError: 'tag of it'\n\nt.py:3: KeyError\n";
    assert_eq!(of("KeyError: 't...", block), "KeyError: 'tag of it'");
    assert_eq!(of("KeyError: 'x...", block), "KeyError: 'x...");
    assert_eq!(of("KeyError: 'tag of it'", block), "KeyError: 'tag of it'");
    let line = "/p/t.py:4: KeyError: 'tag of it'\n";
    assert_eq!(of("KeyError: 't...", line), "KeyError: 'tag of it'");
}

#[test]
fn program_after_a_cut_run_is_read() {
    let pytest = "==== test session starts ====\ncollected 2 items\n\ntest_a.py F.                [100%]\n\n==== FAILURES ====\n____ test_b ____\n\n    def test_b():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:8: AssertionError\n";
    let cargo = "   Compiling a v0.1.0 (/a)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.10s\n     Running unittests src/lib.rs (target/debug/deps/a-1c67fa3a)\n\nrunning 2 tests\ntest x ... FAILED\ntest y ... ok\n\nfailures:\n\n---- x stdout ----\nthread 'x' panicked at src/lib.rs:7:9:\nno\n\nfailures:\n    x\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let again =
        "==== test session starts ====\ntest_c.py .    [100%]\n==== 1 passed in 0.01s ====\n";
    let short =
        "running 1 test\ntest x ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    let go = "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\te.org/a\t0.01s\nFAIL\n";
    for (behind, ids, tests) in [
        (cargo.to_owned(), vec!["x"], Some((1, 1))),
        (format!("{cargo}{again}"), vec!["x"], Some((2, 1))),
        (short.to_owned(), vec!["x"], Some((0, 1))),
        (go.to_owned(), vec!["e.org/a.TestA"], None),
    ] {
        // The output may end within a line, and another program may continue that line.
        let glued = pytest.trim_end_matches("AssertionError\n");
        for text in [
            format!("{pytest}{behind}"),
            format!("{glued}\n{behind}"),
            format!("{glued}   Compiling b\n{behind}"),
        ] {
            let found = read(&text);
            let told: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
            assert!(told[0].ends_with("test_b"), "{told:?}");
            assert_eq!(told[1], "pytest did not end");
            assert_eq!(told[2..], ids, "{behind}");
            assert_eq!(found.tests.map(|it| (it.passed, it.failed)), tests);
            assert!(found.is_broken_off);
            let detail = found.failures[0].detail.as_ref().unwrap();
            assert!(
                !detail.contains("running") && !detail.contains("FAIL"),
                "{detail}"
            );
        }
    }
    // A complete run owns the output of its tests.
    let whole = format!(
        "{pytest}---- Captured stdout call ----\n{short}==== short test summary info ====\nFAILED test_a.py::test_b - assert 1 == 2\n==== 1 failed, 1 passed in 0.02s ====\n"
    );
    let found = read(&whole);
    assert_eq!((found.failures.len(), found.is_broken_off), (1, false));
}

#[test]
fn lines_of_others_are_not_taken() {
    for text in [
        "== Notes ==\n",
        "a FAILED b\n",
        "FAILED to reach it - twice\n",
        "The end...\n",
        "...\n",
    ] {
        let found = read(text);
        assert!(
            found.failures.is_empty() && !found.is_recognised,
            "{text}: {found:?}"
        );
    }
}
