//! JUnit XML, as most test runners write it.

use roxmltree::{Document, Node};

use super::xml::{self, Extent};
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

/// Reads all documents in `text`: one, several behind each other, or such between which something else was printed, as a warning of who
/// ran the tests. None where there is no document that counts: where what stands around one tells of tests, one of them printed it.
///
/// # Errors
/// When `text` begins with XML of which nothing can be read.
pub(super) fn read_all(text: &str) -> Result<Option<Results>, NotResults> {
    let (mut all, mut at) = (Results::default(), 0);
    let begins_so = text.trim_start().starts_with('<');
    while let Some(start) = next_mark(text, at).filter(|start| {
        let is_first = at == 0;
        is_first || begins(&text[*start..])
    }) {
        let (found, end) = document(text, start)?;
        all.add(found);
        at = end;
    }
    let rest = &text[at..];
    let names_none = all.names.is_empty() && all.failures.iter().all(is_of_no_test);
    if all.is_broken_off && names_none {
        return read(text).map(Some);
    }
    if begins_so && rest.trim().is_empty() {
        return Ok(Some(all));
    }
    let (within, around) = apart(rest).unwrap_or_else(|| (Results::default(), rest.to_owned()));
    if !begins_so && within.tests.is_none() {
        return Ok(None);
    }
    match (tells_of_tests(&printed::read(&around)), begins_so) {
        (true, false) => return Ok(None),
        (true, true) => all.add(printed::read(rest)),
        (false, _) => all.add(within),
    }
    Ok(Some(all))
}

fn tells_of_tests(found: &Results) -> bool {
    found.tests.is_some() || !found.failures.iter().all(is_of_no_test)
}

fn is_of_no_test(failure: &Failure) -> bool {
    failure.kind == FailureKind::Error
}

/// Where a mark of XML begins that only blanks part from byte `at`; a file may begin with a mark of its order of bytes.
fn next_mark(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    rest.starts_with('<').then(|| text.len() - rest.len())
}

/// Whether a document of results begins with `text`.
fn begins(text: &str) -> bool {
    let begins = ["<?xml ", "<testsuites", "<testsuite "];
    begins.iter().any(|begin| text.starts_with(begin))
}

/// The document that begins at byte `start`, and where it ends. One that is cut is read as far as it goes.
fn document(text: &str, start: usize) -> Result<(Results, usize), NotResults> {
    let is_told = |case: &str| case.contains("<failure") || case.contains("<error");
    let (found, end) = match xml::extent(text, start, "testcase", is_told) {
        Extent::Whole(end) => (read(&text[start..end]), end),
        Extent::Cut { end, next, missing } => {
            let whole = format!("{}{missing}", &text[start..end]);
            let found = read(&whole).ok().filter(|found| found.tests.is_some());
            match found {
                Some(found) => (Ok(cut(found)), next),
                None => (read(&text[start..next]), next),
            }
        }
    };
    let lines = text[..start].matches('\n').count();
    let lines = u32::try_from(lines).unwrap_or(u32::MAX);
    let found = found.map_err(|error| NotResults {
        line: error.line.saturating_add(lines),
        ..error
    })?;
    Ok((found, end))
}

/// What was read of a document that ends before it is whole.
fn cut(mut found: Results) -> Results {
    found.is_broken_off = true;
    found.failures.push(Failure {
        id: "JUnit XML did not end".to_owned(),
        kind: FailureKind::Error,
        summary: "it is cut before the last of its tests".to_owned(),
        ..Failure::default()
    });
    found
}

/// What the documents say that stand in `text`, where something else is printed, and what stands around them; none where nothing can be
/// read of one.
fn apart(text: &str) -> Option<(Results, String)> {
    let (mut found, mut around) = (Results::default(), String::new());
    let mut at = 0;
    while at < text.len() {
        let line = text[at..].split_inclusive('\n').next().unwrap_or_default();
        let mark = next_mark(line, 0).filter(|mark| begins(&line[*mark..]));
        let Some(mark) = mark else {
            around.push_str(line);
            at += line.len();
            continue;
        };
        let (one, end) = document(text, at + mark).ok()?;
        found.add(one);
        at = end;
    }
    Some((found, around))
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
        // One that is cut between them, and what other programs print behind them.
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
        // Of a test that is cut nobody knows how it went.
        let (ids, tests) =
            told("<testsuite><testcase name=\"a\"/><testcase name=\"b\"><system-out>x");
        assert_eq!((ids.len(), tests), (1, Some((1, 0))));
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
}
