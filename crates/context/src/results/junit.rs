//! JUnit XML, as most test runners write it.

use roxmltree::{Document, Node};

use super::{NamedTest, NotResults, Results, TestOutcome, places_in, printed, told};
use crate::{Failure, FailureKind, TestCount};

pub(super) fn read(text: &str) -> Result<Results, NotResults> {
    let document = Document::parse(text).map_err(|error| NotResults {
        line: error.pos().row,
        why: format!("this is no XML that can be read: {error}"),
    })?;
    let mut found = Results::default();
    let mut count = TestCount::default();
    let is_case = |node: &Node<'_, '_>| node.is_element() && node.tag_name().name() == "testcase";
    for case in document.descendants().filter(is_case) {
        let child = |name: &str| {
            case.children()
                .find(|node| node.is_element() && node.tag_name().name() == name)
        };
        if let Some(wrong) = child("failure").or_else(|| child("error")) {
            count.failed += 1;
            found.failures.push(failure(case, wrong));
            continue;
        }
        let outcome = match child("skipped") {
            Some(_) => TestOutcome::Skipped,
            None => TestOutcome::Passed,
        };
        count.skipped += u32::from(outcome == TestOutcome::Skipped);
        count.passed += u32::from(outcome == TestOutcome::Passed);
        found.names.push(NamedTest::of("", &name_of(case), outcome));
    }
    let is_ours = |node: Node<'_, '_>| node.tag_name().name().starts_with("test");
    found.tests = document.descendants().any(is_ours).then_some(count);
    Ok(found)
}

/// The same where something else was printed before or behind it: a warning of who ran the tests. None where there is none, where it is
/// not whole, and where what stands around it tells of tests: then one of them printed it.
pub(super) fn within(text: &str) -> Option<Results> {
    let begins = |line: &str| {
        let line = line.trim_start();
        ["<?xml ", "<testsuites", "<testsuite "]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let mut at = 0;
    let start = text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        begins(line).then_some(start)
    })?;
    let ends = ["</testsuites>", "</testsuite>"];
    let ends = ends
        .iter()
        .filter_map(|end| Some(text.rfind(end)? + end.len()));
    let end = ends.max().filter(|end| *end > start)?;
    let (before, behind) = (&text[..start], &text[end..]);
    let around = printed::read(&format!("{before}{behind}"));
    let mut failures = around.failures.iter();
    let tells_of_tests =
        around.tests.is_some() || failures.any(|failure| failure.kind == FailureKind::Test);
    if tells_of_tests || behind.contains("<test") {
        return None;
    }
    let found = read(&text[start..end]).ok()?;
    found.tests.is_some().then_some(found)
}

/// The name of a test, with that of its class.
fn name_of(case: Node<'_, '_>) -> String {
    let name = case.attribute("name").unwrap_or("?");
    match case.attribute("classname") {
        Some(class) if !class.is_empty() && class != name => format!("{class}::{name}"),
        _ => name.to_owned(),
    }
}

fn failure(case: Node<'_, '_>, wrong: Node<'_, '_>) -> Failure {
    let id = name_of(case);
    let body = wrong.text().unwrap_or_default();
    let message = wrong.attribute("message").unwrap_or_default();
    let (mut summary, detail) = told(body);
    if !message.trim().is_empty() {
        summary = told(message).0;
    }
    let mut places = Vec::new();
    if let Some(file) = case.attribute("file") {
        let line = case
            .attribute("line")
            .map_or(String::new(), |line| format!(":{line}"));
        places.push(format!("{file}{line}"));
    }
    for place in places_in(&format!("{message}\n{body}")) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Failure {
        id,
        kind: FailureKind::Test,
        summary,
        detail: detail.or_else(|| {
            Some(body.trim().to_owned()).filter(|text| !text.is_empty() && !message.is_empty())
        }),
        places,
        ..Failure::default()
    }
}

#[cfg(test)]
mod tests {
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
        // What a test prints of it is none.
        let failed = "FAILED a.py::test_b - AssertionError: x\n";
        for printed in [
            format!("{failed}{xml}\n"),
            format!("{failed}<testsuites>\n<testsuite\n"),
        ] {
            let found = crate::read_results(&printed).unwrap();
            assert_eq!(found.failures[0].id, "a.py::test_b", "{printed}");
        }
        // Nor is anything lost of what was cut.
        let cut = format!("{xml}\n<testsuites><testsuite><testcase");
        assert!(crate::read_results(&cut).is_err());
    }

    #[test]
    fn what_is_cut_short_or_expands_is_refused() {
        for text in [
            "<testsuite><testcase",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.line >= 1, "{error}");
        }
    }
}
