use super::*;

fn report(text: &str) -> Report {
    read(text, 200).unwrap()
}

/// Returns each failure's test, reason and location.
fn rows(report: &Report) -> Vec<(&str, &str, Option<String>)> {
    let rows = report.failures.iter();
    rows.map(|found| {
        let place = found.place.as_ref().map(ToString::to_string);
        (&*found.test, found.message.trim(), place)
    })
    .collect()
}

fn at(place: &str) -> Option<String> {
    Some(place.to_owned())
}

#[test]
fn colours_ignored() {
    let text =
        "\u{1b}[32m\u{1b}[32m\u{1b}[1m3 passed\u{1b}[0m\u{1b}[32m in 0.02s\u{1b}[0m\u{1b}[0m\n";
    assert_eq!(report(text).passed, Some(3));
}

#[test]
fn xml_failures_with_places() {
    let found = report(
        r#"<?xml version="1.0"?><testsuites><testsuite name="s" tests="4">
        <testcase classname="a.B" name="ok" time="0.1"/>
        <testcase classname="a.B" name="left" time="0.1"><skipped/></testcase>
        <testcase classname="a.B" name="wrong &lt;1&gt;"><failure message="expected 1 &amp; 2"><![CDATA[
tests/test_b.py:12: in test
tests/helper.py:3: AssertionError]]></failure></testcase>
        <testcase name="broken" file="x.js" line="7"><error type="E">it &#33;</error></testcase>
        </testsuite></testsuites>"#,
    );
    assert_eq!((found.passed, found.format), (Some(1), "junit"));
    let wanted = [
        ("a.B::wrong <1>", "expected 1 & 2", at("tests/helper.py:3")),
        ("broken", "it !", at("x.js:7")),
    ];
    assert_eq!(rows(&found), wanted);
}

#[test]
fn invalid_xml_report_refused() {
    for text in [
        "<html><p>a</p></html>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><testsuite/>",
        "<testsuite name=x/>",
        "<testsuites tests='9' failures='3'/>",
        "<testsuites><testsuite errors='1'><testcase name='a'/></testsuite></testsuites>",
        "<testsuite failures='2'><testcase name='a'><failure/></testcase></testsuite>",
    ] {
        assert!(read(text, 200).is_err(), "{text}");
    }
    // A truncated report is itself reported as a failure.
    let cut = report("<testsuites><testsuite><testcase name='a'/>");
    assert_eq!(rows(&cut)[0].0, "JUnit XML did not end");
}

#[test]
fn address_in_message_is_no_place() {
    let place = |case: &str| {
        let found = report(&format!(
            "<testsuites><testsuite>{case}</testsuite></testsuites>"
        ));
        rows(&found)[0].2.clone()
    };
    let own = "<testcase name='db' file='t/test_a.py' line='2'><failure message='connect 127.0.0.1:5432 refused'>";
    let alone = format!("{own}</failure></testcase>");
    assert_eq!(place(&alone), at("t/test_a.py:2"));
    let nearer =
        format!("{own}/w/t/test_a.py:7: in test_db\nlib/db.py:90: Error</failure></testcase>");
    assert_eq!(place(&nearer), at("lib/db.py:90"));
    let address =
        "<testcase name='db'><failure message='connect 127.0.0.1:5432 refused'/></testcase>";
    assert_eq!(place(address), None);
    let node = "<testcase name='adds'><failure message='2 !== 3'>\n  at TestContext.f (/w/tests/a.test.js:3:29)\n  at g (/w/tests/b.js:9:1)\n  at Test.run (node:internal/test_runner/test:796:25)</failure></testcase>";
    assert_eq!(place(node), at("/w/tests/a.test.js:3"));
    let php = "<testcase name='adds' file='/w/t/ATest.php' line='5'><failure>ATest::adds\n/w/src/B.php:9\n/w/t/ATest.php:8</failure></testcase>";
    assert_eq!(place(php), at("/w/t/ATest.php:8"));
}

#[test]
fn cargo_panic_has_place() {
    let found = report(
        "running 2 tests\ntest a::b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' (123) panicked at src/lib.rs:5:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    a::b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nrunning 4 tests\n\ntest result: ok. 4 passed; 0 failed\n",
    );
    assert_eq!((found.format, found.passed), ("cargo", Some(5)));
    let message = "assertion `left == right` failed\n  left: 1\n right: 2";
    assert_eq!(rows(&found), [("a::b", message, at("src/lib.rs:5"))]);
}

#[test]
fn cargo_output_may_be_missing() {
    let shown = "running 2 tests\ntest b ... ok\ntest a ... thread 'a' (7) panicked at src/a.rs:3:5:\nassertion failed: x\nnote: run with\nFAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
    let wanted = [("a", "assertion failed: x", at("src/a.rs:3"))];
    assert_eq!(rows(&report(shown)), wanted);
    let silent = "running 2 tests\ntest a ... FAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
    let wanted = [("a", "the report does not say why", None)];
    assert_eq!(rows(&report(silent)), wanted);
    let error = read("test result: FAILED. 1 passed; 2 failed; 0 ignored\n", 200).unwrap_err();
    assert!(error.contains("counts 2 failures and shows 0"), "{error}");
    let half = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed;\n\nrunning 2 tests\ntest b ... FAILED\n";
    let half = report(half);
    let names: Vec<&str> = rows(&half).iter().map(|it| it.0).collect();
    assert_eq!(names, ["b", "cargo test did not end"]);
}

#[test]
fn pytest_failure_has_place() {
    let found = report(
        "===== test session starts =====\ncollected 2 items\n\n===== FAILURES =====\n____ test_a ____\n\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\n\ntests/test_a.py:4: AssertionError\n____ TestB.test_c ____\n\ntests/test_b.py:9: in test_c\n    g()\nsrc/g.py:2: in g\n    raise ValueError('x')\nE   ValueError: x\n===== short test summary info =====\nFAILED tests/test_a.py::test_a\n===== 2 failed, 3 passed in 0.03s =====\n",
    );
    assert_eq!((found.format, found.passed), ("pytest", Some(3)));
    let wanted = [
        (
            "tests/test_a.py::test_a",
            "assert 1 == 2\n\ntests/test_a.py:4: AssertionError",
            at("tests/test_a.py:4"),
        ),
        (
            "tests/test_b.py::TestB::test_c",
            "ValueError: x",
            at("src/g.py:2"),
        ),
    ];
    assert_eq!(rows(&found), wanted);
}

#[test]
fn pytest_without_traceback() {
    let none = "FF [100%]\n==== short test summary info ====\nFAILED t/test_a.py::test_a - assert 1 == 2\nFAILED t/test_a.py::TestB::test_b\n2 failed in 0.04s\n";
    let wanted = [
        ("t/test_a.py::test_a", "assert 1 == 2", None),
        (
            "t/test_a.py::TestB::test_b",
            "the report does not say why",
            None,
        ),
    ];
    assert_eq!(rows(&report(none)), wanted);
    let line = "===== FAILURES =====\n/w/t/test_a.py:2: assert 1 == 2\n/w/t/test_a.py:9: ValueError: x\n===== short test summary info =====\nFAILED t/test_a.py::test_a - assert 1 == 2\nFAILED t/test_a.py::test_b - ValueError: x\n===== 2 failed, 1 passed in 75.10s (0:01:15) =====\n";
    let wanted = [
        (
            "t/test_a.py::test_a",
            "assert 1 == 2",
            at("/w/t/test_a.py:2"),
        ),
        (
            "t/test_a.py::test_b",
            "ValueError: x",
            at("/w/t/test_a.py:9"),
        ),
    ];
    assert_eq!(rows(&report(line)), wanted);
    for silent in [
        "F. [100%]\n1 failed, 1 passed in 0.04s\n",
        "1 error in 0.10s\n",
    ] {
        let error = read(silent, 200).unwrap_err();
        assert!(error.contains("counts 1 failures and shows 0"), "{error}");
    }
}

#[test]
fn pytest_errors_reported_once() {
    let text = "===== test session starts =====\n===== ERRORS =====\n____ ERROR at setup of TestA.test_b ____\nE   ValueError: x\nt/test_a.py:3: ValueError\n===== short test summary info =====\nERROR t/test_a.py::TestA::test_b - ValueError: x\nERROR t/test_c.py\n===== 1 passed, 2 errors in 0.1s =====\n";
    let wanted = [
        (
            "t/test_a.py::TestA::test_b",
            "ValueError: x\nt/test_a.py:3: ValueError",
            at("t/test_a.py:3"),
        ),
        ("t/test_c.py", "the report does not say why", None),
    ];
    assert_eq!(rows(&report(text)), wanted);
}

#[test]
fn no_false_failures() {
    assert!(read("hello\nworld in 3 words\n", 200).is_err());
    let covered = "===== test session starts =====\n_____ coverage: platform linux, python 3 _____\nName Stmts\n===== 1 passed in 0.1s =====\n";
    assert_eq!(report(covered).failures, []);
    let printed = "===== FAILURES =====\n_____ test_a _____\nE   assert 0\nt/a.py:3: AssertionError\n----- Captured stdout call -----\n_____ x _____\n===== short test summary info =====\nFAILED t/a.py::test_a - assert 0\n===== 1 failed in 0.1s =====\n";
    // A heading printed by a test may be reported as an additional failure, but never in place of another.
    assert_eq!(rows(&report(printed))[0].0, "t/a.py::test_a");
    let none = "===== no tests ran in 0.01s =====\n";
    assert_eq!(report(none).passed, Some(0));
    let half = report("===== test session starts =====\ncollected 2 items\n");
    assert_eq!(rows(&half)[0].0, "pytest did not end");
}

#[test]
fn other_formats_and_limit() {
    let go = report(
        "--- FAIL: TestBad (0.00s)\n    a_test.go:4: no\nFAIL\nFAIL\texample.org/g\t0.006s\nFAIL\n",
    );
    assert_eq!((go.format, go.passed, go.failed), ("go", None, 1));
    assert_eq!(rows(&go)[0].2, at("example.org/g/a_test.go:4"));
    let many: String = (0..300)
        .map(|n| format!("FAILED a.py::test_{n} - no\n"))
        .collect();
    let few = read(&many, 2).unwrap();
    assert_eq!((few.failures.len(), few.failed), (2, 300));
    assert_eq!(read(&many, 250).unwrap().failures.len(), 250);
}
