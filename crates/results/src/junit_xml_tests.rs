use super::*;

#[test]
fn cases_are_counted_and_failures_kept() {
    let text = r#"<?xml version="1.0"?><testsuites><testsuite name="s">
            <testcase classname="a.B" name="ok"/>
            <testcase classname="a.B" name="bad" file="t/b.py" line="3"><failure message="1 != 2">Traceback
  File "t/b.py", line 7, in bad
AssertionError: 1 != 2</failure></testcase>
            <testcase name="later"><skipped/></testcase>
            <testcase name="broken"><error>boom</error></testcase></testsuite></testsuites>"#;
    let found = read(text).unwrap();
    assert_eq!(
        found.tests,
        Some(TestCount {
            passed: 1,
            failed: 2,
            skipped: 1
        })
    );
    let bad = &found.failures[0];
    assert_eq!((&*bad.id, &*bad.summary), ("a.B::bad", "1 != 2"));
    assert_eq!(bad.places, ["t/b.py:3", "t/b.py:7"]);
    assert!(bad.detail.as_ref().unwrap().contains("AssertionError"));
    assert_eq!(
        (&*found.failures[1].id, &*found.failures[1].summary),
        ("broken", "boom")
    );
}

#[test]
fn carriage_return_ends_no_line_inside_xml() {
    let progress = "10%\r50%\r";
    let bad = "<testcase name=\"bad\"><failure message=\"boom\"/></testcase>";
    for (text, passed, failed) in [
        (
            format!("<testsuite>\n{bad}\r<testcase name=\"b\"/>\n</testsuite>\n"),
            1,
            1,
        ),
        (format!("<testsuite>{bad}\r</testsuite>\r"), 0, 1),
        (
            format!("<testsuite>\r{bad}\r\n<testcase name=\"b\"/>\r\n</testsuite>"),
            1,
            1,
        ),
        (
            format!(
                "<testsuite>{bad}<testcase name=\"b\">\n<system-out><![CDATA[{progress}]]></system-out></testcase></testsuite>"
            ),
            1,
            1,
        ),
        (
            format!("{progress}<testsuite>{bad}</testsuite>\r{progress}done\n"),
            0,
            1,
        ),
        (
            format!("\u{1b}]0;title<testsuite>\n<testsuite>{bad}</testsuite>"),
            0,
            1,
        ),
    ] {
        let found = crate::read_results(&text).unwrap();
        let count = found.tests.unwrap_or_default();
        assert_eq!((count.passed, count.failed), (passed, failed), "{text:?}");
    }
    // In output that isn't XML, a carriage return overwrites the line.
    let found =
        crate::read_results("10%\rtest result: ok. 1 passed; 0 failed; 0 ignored\n").unwrap();
    assert_eq!(found.tests.map(|count| count.passed), Some(1));
}

proptest::proptest! {
    /// Each failed test counts once, however white space is laid out.
    #[test]
    fn failed_test_is_never_counted_as_passed(blanks in proptest::collection::vec("[ \t\r\n]{0,3}", 8)) {
        let parts = ["<testsuite>", "<testcase name=\"a\">", "<failure/>", "</testcase>", "<testcase name=\"b\"/>", "<testcase name=\"c\">", "<error>x</error></testcase>", "</testsuite>"];
        let text: String = parts.iter().zip(&blanks).flat_map(|(part, blank)| [*part, blank.as_str()]).collect();
        let count = crate::read_results(&text).unwrap().tests.unwrap_or_default();
        proptest::prop_assert_eq!((count.passed, count.failed), (1, 2), "{:?}", text);
    }
}

#[test]
fn count_without_a_test_fails_the_suite() {
    let of = |text: &str| {
        let found = crate::read_results(text).unwrap();
        let ids = found.failures.into_iter().map(|it| it.id);
        (ids.collect::<Vec<String>>(), found.tests.is_some())
    };
    let one = "<testsuite tests=\"2\" failures=\"1\"><testcase name=\"a\"/><testcase name=\"b\"/></testsuite>";
    assert_eq!(of(one), (vec!["test suite".to_owned()], false));
    let crashed = "<testsuites errors=\"1\"><testsuite name=\"m\" tests=\"1\"><testcase name=\"a\"/></testsuite><testsuite name=\"crashed\" tests=\"3\" failures=\"0\" errors=\"1\"><system-err>died</system-err></testsuite></testsuites>";
    assert_eq!(of(crashed), (vec!["test suite crashed".to_owned()], false));
    let found = crate::read_results(crashed).unwrap();
    assert_eq!(found.failures[0].detail.as_deref(), Some("died"));
    // Failures reported by tests count once. A test may have more failures than its suite counts.
    for told in [
        "<testsuite failures=\"1\"><testcase name=\"x\"><failure/></testcase></testsuite>",
        "<testsuites failures=\"1\"><testsuite failures=\"1\"><testcase name=\"x\"><failure/><failure/></testcase></testsuite></testsuites>",
        "<testsuite failures=\"2\"><testcase name=\"x\"><failure/></testcase></testsuite>",
    ] {
        assert_eq!(of(told), (vec!["x".to_owned()], true), "{told}");
    }
    for well in [
        "<testsuite failures=\"0\" errors=\"0\"><testcase name=\"x\"/></testsuite>",
        "<testsuite failures=\"\"><testcase name=\"x\"/></testsuite>",
    ] {
        assert_eq!(of(well), (vec![], true), "{well}");
    }
}

#[test]
fn what_was_printed_around_it_is_passed_over() {
    let xml = "<?xml version=\"1.0\"?>\n<testsuites>\n<testsuite name=\"s\">\n<testcase name=\"a\"><failure message=\"no\"/></testcase>\n</testsuite>\n</testsuites>";
    for text in [
        format!("npm warn old lockfile\nnpm warn\n{xml}\nnpm error code 1\n"),
        format!("(node:7) Warning: x < y\n{}", &xml[22..]),
        format!("{xml}\nnpm error code 1\n"),
    ] {
        let found = crate::read_results(&text).unwrap();
        assert_eq!(found.failures.len(), 1, "{text}");
        assert_eq!(found.failures[0].summary, "no");
    }
    // Failures in a test's output don't count.
    let failed = "FAILED a.py::test_b - AssertionError: x\n";
    for printed in [
        format!("{failed}{xml}\n"),
        format!("{failed}<testsuites>\n<testsuite\n"),
    ] {
        let found = crate::read_results(&printed).unwrap();
        assert_eq!(found.failures[0].id, "a.py::test_b", "{printed}");
    }
    // We don't lose anything before the cut either.
    let cut = format!("{xml}\n<testsuites><testsuite><testcase");
    let found = crate::read_results(&cut).unwrap();
    assert!(found.is_broken_off && found.failures[0].summary == "no");
}

fn told(text: &str) -> (Vec<String>, Option<(u32, u32)>) {
    let found = crate::read_results(text).unwrap();
    let ids = found.failures.into_iter().map(|failure| failure.id);
    let tests = found.tests.map(|tests| (tests.passed, tests.failed));
    (ids.collect(), tests)
}

#[test]
fn documents_one_behind_the_other_are_all_read() {
    let one = |class: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<testsuite name=\"s\"><testcase classname=\"{class}\" name=\"good\"/><testcase classname=\"{class}\" name=\"bad\"><failure message=\"m\"><![CDATA[<?xml version=\"1.0\"?><testsuite>]]></failure></testcase></testsuite>"
        )
    };
    let both = (vec!["a::bad".to_owned(), "b::bad".to_owned()], Some((2, 2)));
    let (a, b) = (one("a"), one("b"));
    for text in [
        format!("{a}\n{b}\n"),
        format!("{a}{b}"),
        format!("{a}\n\u{feff}{b}"),
        format!("{}\n{}\n", &a[22..], &b[22..]),
        format!("npm warn old\n{a}\nnpm warn old\n{b}\nnpm error code 1\n"),
    ] {
        assert_eq!(told(&text), both, "{text}");
    }
    // A document cut between them, followed by output of other programs.
    let cut = &a[..a.rfind("</failure>").unwrap()];
    for text in [
        format!("{cut}\n{b}"),
        format!("{b}\n{cut}"),
        format!("npm warn\n{cut}\n{b}"),
    ] {
        let (ids, tests) = told(&text);
        let named: std::collections::BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(named, ["JUnit XML did not end", "a::bad", "b::bad"].into());
        assert_eq!(tests, Some((2, 2)));
        assert!(crate::read_results(&text).unwrap().is_broken_off);
    }
    let text = format!(
        "{a}\ntest c ... FAILED\ntest d ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n"
    );
    assert_eq!(
        told(&text),
        (vec!["a::bad".to_owned(), "c".to_owned()], Some((2, 2)))
    );
    // We don't know the outcome of a cut test, even if it has printed something.
    for printed in ["x", "<![CDATA[<error>]]></system-out><system-err>x"] {
        let text =
            format!("<testsuite><testcase name=\"a\"/><testcase name=\"b\"><system-out>{printed}");
        let (ids, tests) = told(&text);
        assert_eq!((ids.len(), tests), (1, Some((1, 0))), "{printed}");
    }
}

#[test]
fn unreadable_document_spares_the_others() {
    let one = |class: &str, rest: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<testsuite><testcase classname=\"{class}\" name=\"x\"><failure message=\"m{rest}"
        )
    };
    let whole = |class: &str| one(class, "\"/></testcase></testsuite>\n");
    let (a, c) = (whole("a"), whole("c"));
    for broken in [
        one("b", " & n\"/></testcase></testsuite>\n"),
        one("b", "\">1 &lt"),
        one("b", " &lt; 2 &am"),
    ] {
        for text in [format!("{a}{broken}\n{c}"), format!("{a}{broken}")] {
            let found = crate::read_results(&text).unwrap();
            let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
            assert!(ids.contains(&"a::x") && found.is_broken_off, "{ids:?}");
            assert_eq!(ids.contains(&"c::x"), text.ends_with(&c), "{ids:?}");
        }
    }
    let (ids, tests) = told(&one("b", ": wanted"));
    assert_eq!((&*ids[0], tests), ("b::x", Some((0, 1))));
    let error = crate::read_results(&one("b", " & \"/></testcase></testsuite>\n"));
    assert_eq!(error.unwrap_err().line, 2);
}

#[test]
fn document_after_other_output_is_read() {
    let xml = "<?xml version=\"1.0\"?>\n<testsuite><testcase name=\"x\"><failure message=\"m\"/></testcase></testsuite>\n";
    let pytest = "===== 3 passed in 0.10s =====\n";
    let cargo = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n";
    let go = "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\te.org/a\t0.01s\nFAIL\n";
    for (text, named, tests) in [
        (format!("{pytest}{xml}"), vec!["x"], Some((3, 1))),
        (format!("{cargo}{xml}"), vec!["x"], Some((1, 1))),
        (format!("{cargo}{xml}{cargo}"), vec!["x"], Some((2, 1))),
        (format!("{go}{xml}"), vec!["x", "e.org/a.TestA"], None),
        (
            format!("{xml}{pytest}{}", xml.replace("\"x\"", "\"y\"")),
            vec!["x", "y"],
            Some((3, 2)),
        ),
        // The output of tests comes before their outcome.
        (
            format!(
                "running 1 test\n{xml}{xml}test a ... ok\n\n{}",
                &cargo[30..]
            ),
            vec![],
            Some((1, 0)),
        ),
    ] {
        let (ids, told) = told(&text);
        assert_eq!(
            (ids, told),
            (named.iter().map(ToString::to_string).collect(), tests),
            "{text}"
        );
    }
}

#[test]
fn what_begins_as_a_tag_is_not_always_xml() {
    let xml = "<?xml version=\"1.0\"?>\n<testsuite><testcase name=\"x\"><failure message=\"m\"/></testcase></testsuite>\n";
    for above in [
        "<unknown>:12: SyntaxWarning: invalid escape sequence\n",
        "<!-- made by x -->\n",
        "<!-- made by x --> <!-- and y -->",
    ] {
        assert_eq!(told(&format!("{above}{xml}")).0, ["x"], "{above}");
    }
    let text = "<unknown>:12: SyntaxWarning: x\nFAILED a.py::test_b - no\n";
    assert_eq!(told(text).0, ["a.py::test_b"]);
}

#[test]
fn what_is_cut_short_or_expands_is_refused() {
    for text in [
        "<testsuite><testcase",
        "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>",
    ] {
        let error = crate::read_results(text).unwrap_err();
        assert!(error.line >= 1, "{error}");
    }
}
