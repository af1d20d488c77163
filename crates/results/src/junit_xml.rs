//! JUnit XML, the format of most test runners.

use roxmltree::{Document, Node};

use crate::extent::{Extent, extent};
use crate::in_short::told;
use crate::not_run::{doubtful_suites, is_inside, is_marked};
use crate::places_in::places_in;
use crate::printed;
use crate::terminal::shown;
use crate::{Failure, FailureKind, NamedTest, NotResults, Results, TestCount, TestOutcome};

/// Program name given to results in JUnit XML.
const NAME: &str = "junit";

/// Reads a complete document. Failures that suites only count are added as failures of the suite.
fn read_whole(text: &str) -> Result<Results, NotResults> {
    let mut found = read(text)?;
    let document = Document::parse(text).map_err(|error| not_xml(&error))?;
    let failures: Vec<Failure> = document
        .descendants()
        .filter_map(failure_of_suite)
        .collect();
    // The suite doesn't say which of its tests failed.
    found.is_uncounted |= !failures.is_empty();
    found.failures.extend(failures);
    Ok(found)
}

fn not_xml(error: &roxmltree::Error) -> NotResults {
    NotResults {
        line: error.pos().row,
        why: format!("this is no XML that can be read: {error}"),
    }
}

pub(super) fn read(text: &str) -> Result<Results, NotResults> {
    let document = Document::parse(text).map_err(|error| not_xml(&error))?;
    let mut found = Results::default();
    let mut count = TestCount::default();
    let doubtful = doubtful_suites(&document);
    let mut in_doubt = 0;
    let is_case = |node: &Node<'_, '_>| node.is_element() && node.tag_name().name() == "testcase";
    for case in document.descendants().filter(is_case) {
        if let Some(wrong) = wrong_in(case) {
            count.failed += 1;
            found.failures.push(failure(case, wrong));
            continue;
        }
        let outcome = match is_marked(case) {
            true => TestOutcome::Skipped,
            false => TestOutcome::Passed,
        };
        count.skipped += u32::from(outcome == TestOutcome::Skipped);
        count.passed += u32::from(outcome == TestOutcome::Passed);
        if outcome == TestOutcome::Passed && is_inside(case, &doubtful) {
            in_doubt += 1;
            continue;
        }
        found.names.push(NamedTest {
            within: within(case),
            ..NamedTest::of("", &name_of(case), outcome)
        });
    }
    // These suites count tests that weren't run, but don't mark them. We don't know which of the
    // seemingly passed tests they are, so we only correct the numbers.
    let not_run = doubtful
        .values()
        .fold(0, |sum: u32, own| sum.saturating_add(*own));
    let not_run = not_run.min(in_doubt);
    count.passed -= not_run;
    count.skipped += not_run;
    let is_ours = |node: Node<'_, '_>| node.tag_name().name().starts_with("test");
    found.tests = document.descendants().any(is_ours).then_some(count);
    if found.tests.is_some() {
        found.told_by(NAME);
        found.unnamed = unnamed(&document);
    }
    Ok(found)
}

/// Returns the number of failures and errors that suites count but no element reports. The count of
/// an outer suite includes its inner ones, but some programs count only in the inner ones.
fn unnamed(document: &Document<'_>) -> u32 {
    let is_told = |node: &Node<'_, '_>| match node.tag_name().name() {
        "failure" | "error" => true,
        "testcase" => wrong_in(*node) == Some(*node),
        _ => false,
    };
    let told = document.descendants().filter(is_told).count();
    let is_outer = |node: &Node<'_, '_>| node.ancestors().skip(1).all(|it| counted_bad(it) == 0);
    let outer = document.descendants().filter(is_outer).map(counted_bad);
    let counted = outer.fold(0, u32::saturating_add);
    counted.saturating_sub(u32::try_from(told).unwrap_or(u32::MAX))
}

/// Reads all documents in `text`.
///
/// There may be other output between them, such as a warning of the program that ran the tests.
/// Returns `None` if there is no document. One before the summary of a running program does not
/// count, because one of its tests has printed it.
///
/// # Errors
/// Returns an error if `text` begins with XML that cannot be read at all.
pub(super) fn read_all(text: &str) -> Result<Option<Results>, NotResults> {
    let first = first_document(text);
    let (mut all, mut around, mut refused) = (Results::default(), String::new(), None);
    let mut has_document = false;
    for piece in counted_pieces(text, first) {
        match piece {
            Piece::Document(document) => {
                has_document = true;
                all.add(document.found);
                refused = refused.or(document.refused);
            }
            Piece::Text(said) => around.push_str(&shown(said)),
        }
    }
    let says_nothing = all.tests.is_none() && all.failures.is_empty();
    // The text may contain XML of another kind, e.g. in the output of a program.
    if !has_document || first.is_none() && says_nothing {
        return Ok(None);
    }
    let printed = printed::read(&around);
    if tells_of_tests(&printed) || printed.is_uncounted {
        all.add(printed);
    }
    // If the text begins with broken XML and nothing else in it names a test, tell the user about
    // the XML.
    let names_none = all.names.is_empty() && all.failures.iter().all(is_of_no_test);
    match refused.filter(|_| names_none && first.is_some()) {
        Some(refused) => Err(refused),
        None => Ok(Some(all)),
    }
}

enum Piece<'t> {
    Document(Read<'t>),
    Text(&'t str),
}

/// A document and as many of its results as could be read.
struct Read<'t> {
    text: &'t str,
    found: Results,
    /// Reason why the rest cannot be read, if so.
    refused: Option<NotResults>,
}

/// Splits `text` into pieces, in order. A document that a test printed becomes plain text.
fn counted_pieces(text: &str, first: Option<usize>) -> Vec<Piece<'_>> {
    let pieces = pieces(text, first);
    let said: Vec<Option<Results>> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(said) if !said.trim().is_empty() => Some(printed::read(&shown(said))),
            _ => None,
        })
        .collect();
    let tells = |said: &Option<Results>| said.as_ref().is_some_and(tells_of_tests);
    let last_told = said.iter().rposition(tells);
    // True between a program's first result and its summary.
    let mut is_open = false;
    let mut counted = Vec::with_capacity(pieces.len());
    for (at, (piece, said)) in pieces.into_iter().zip(said).enumerate() {
        counted.push(match (piece, said) {
            (Piece::Document(document), _) if is_open => Piece::Text(document.text),
            (Piece::Text(text), Some(said)) if says_anything(&said) => {
                let is_told_later = last_told.is_some_and(|last| last > at);
                is_open = !has_ended(&shown(text), &said, is_told_later);
                Piece::Text(text)
            }
            (piece, _) => piece,
        });
    }
    counted
}

fn says_anything(found: &Results) -> bool {
    found.is_recognised || found.is_broken_off || tells_of_tests(found)
}

/// Returns true if the output of a program ends here. With `is_told_later`, more tests are reported
/// below.
fn has_ended(text: &str, found: &Results, is_told_later: bool) -> bool {
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let ends_as_go = last == "FAIL" || last.starts_with("FAIL\t");
    let has_no_failure = found.failures.iter().all(is_of_no_test);
    let is_summed_up = found.tests.is_some() || ends_as_go;
    !found.is_broken_off && (is_summed_up || has_no_failure && !is_told_later)
}

/// Splits `text` into all its documents and the text between them. A document begins at `first`, if
/// that is given.
fn pieces(text: &str, first: Option<usize>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    // `begun` is where the text outside of documents starts, `at` is the next line to look at, and
    // `lines` is the number of lines before `counted`.
    let (mut begun, mut at) = (0, 0);
    let (mut counted, mut lines) = (0, 0_u32);
    while at < text.len() {
        // A carriage return overwrites the line, so a document may begin after one.
        let mut lines_from = text[at..].split_inclusive(['\n', '\r']);
        let line = lines_from.next().unwrap_or_default();
        let end_of_line = at + line.len();
        let mark = match first {
            Some(first) if at <= first => Some(first),
            _ => next_mark(line, 0)
                .filter(|mark| begins(&line[*mark..]))
                .map(|mark| at + mark),
        };
        let Some(start) = mark else {
            at = end_of_line;
            continue;
        };
        let before = text[counted..start].bytes().filter(|byte| *byte == b'\n');
        lines = lines.saturating_add(u32::try_from(before.count()).unwrap_or(u32::MAX));
        counted = start;
        let (document, end) = document(text, start, lines);
        // XML that can't be read only matters if it has tests.
        let is_ours = document.refused.is_none() || document.text.contains("<test");
        if !is_ours && first != Some(start) {
            at = end_of_line;
            continue;
        }
        pieces.push(Piece::Text(&text[begun..start]));
        pieces.push(Piece::Document(document));
        (begun, at) = (end, end);
    }
    pieces.push(Piece::Text(&text[begun..]));
    pieces
}

fn tells_of_tests(found: &Results) -> bool {
    found.tests.is_some() || !found.failures.iter().all(is_of_no_test)
}

fn is_of_no_test(failure: &Failure) -> bool {
    failure.kind == FailureKind::Error
}

/// Returns the offset of an XML tag at or after byte `at`, with only blanks before it. A byte order
/// mark counts as a blank, since files may begin with one.
fn next_mark(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    rest.starts_with('<').then(|| text.len() - rest.len())
}

fn begins(text: &str) -> bool {
    let begins = ["<?xml ", "<testsuites", "<testsuite ", "<testsuite>"];
    begins.iter().any(|begin| text.starts_with(begin))
}

/// Returns the start of the document at the beginning of `text`, after any comments. The text must
/// begin like JUnit XML, because a `<` alone does not make it XML.
fn first_document(text: &str) -> Option<usize> {
    let mut at = next_mark(text, 0)?;
    while text[at..].starts_with("<!--") {
        let end = at + text[at..].find("-->")? + "-->".len();
        at = next_mark(text, end)?;
    }
    let rest = &text[at..];
    (begins(rest) || rest.starts_with("<!")).then_some(at)
}

/// Reads the document that begins at byte `start`, after `lines` lines, and returns it with its
/// end. A cut document is read as far as possible.
fn document(text: &str, start: usize, lines: u32) -> (Read<'_>, usize) {
    let refused = |error: NotResults| NotResults {
        line: error.line.saturating_add(lines),
        ..error
    };
    let (found, end) = match extent(text, start, "testcase", &["failure", "error"]) {
        Extent::Whole(end) => (read_whole(&text[start..end]), end),
        Extent::Cut { end, next, missing } => {
            let whole = format!("{}{missing}", &text[start..end]);
            let found = read(&whole).ok().filter(|found| found.tests.is_some());
            let all = read_whole(&text[start..next]);
            match (found, all) {
                (Some(found), Err(error)) => {
                    let document = Read {
                        text: &text[start..next],
                        found: cut(found),
                        refused: Some(refused(error)),
                    };
                    return (document, next);
                }
                (_, all) => (all, next),
            }
        }
    };
    let text = &text[start..end];
    let (found, refused) = match found {
        Ok(found) => (found, None),
        Err(error) => {
            let error = refused(error);
            (unreadable(&error), Some(error))
        }
    };
    let document = Read {
        text,
        found,
        refused,
    };
    (document, end)
}

/// Returns results with one failure, which says that the document cannot be read.
fn unreadable(error: &NotResults) -> Results {
    let failure = Failure {
        id: "JUnit XML cannot be read".to_owned(),
        kind: FailureKind::Error,
        summary: error.to_string(),
        ..Failure::default()
    };
    Results {
        failures: vec![failure],
        programs: vec![NAME],
        is_broken_off: true,
        ..Results::default()
    }
}

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

/// Returns the element that marks a test as failed: one inside the test, or the test itself.
fn wrong_in<'a, 'd>(case: Node<'a, 'd>) -> Option<Node<'a, 'd>> {
    let child = |name: &str| {
        let mut children = case.children().filter(Node::is_element);
        children.find(|node| node.tag_name().name() == name)
    };
    let skipped = child("skipped");
    // Node writes both elements for an expected failure, and counts the test as skipped.
    if skipped.is_some_and(|it| it.attribute("type") == Some("todo")) {
        return None;
    }
    let status = case.attribute("status").unwrap_or_default();
    let is_bad = ["fail", "failed", "failure", "error"].contains(&&*status.to_lowercase());
    let by_status = Some(case).filter(|_| is_bad && skipped.is_none());
    child("failure").or_else(|| child("error")).or(by_status)
}

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
        within: within(case),
        ..Failure::default()
    }
}

/// Returns the number of failed tests that a suite's own attributes give.
fn counted_bad(suite: Node<'_, '_>) -> u32 {
    let is_suite = matches!(suite.tag_name().name(), "testsuite" | "testsuites");
    let of = |name: &str| {
        let said = suite.attribute(name).filter(|_| is_suite);
        said.and_then(|said| said.trim().parse().ok())
            .unwrap_or(0_u32)
    };
    of("failures").saturating_add(of("errors"))
}

/// Returns the failure of a suite that reports one without an element for it.
fn failure_of_suite(suite: Node<'_, '_>) -> Option<Failure> {
    let bad = counted_bad(suite);
    let is_told = |node: &Node<'_, '_>| {
        let is_of_case = node
            .parent()
            .is_some_and(|it| it.tag_name().name() == "testcase");
        let name = node.tag_name().name();
        is_of_case && matches!(name, "failure" | "error")
            || name == "testcase" && wrong_in(*node).is_some()
    };
    let mut inside = suite.descendants().skip(1);
    if bad == 0 || inside.any(|node| is_told(&node) || counted_bad(node) > 0) {
        return None;
    }
    let of_its_own = |node: &Node<'_, '_>| {
        matches!(
            node.tag_name().name(),
            "failure" | "error" | "system-err" | "system-out"
        )
    };
    let said: Vec<&str> = suite
        .children()
        .filter(of_its_own)
        .filter_map(|node| {
            let text = node.text().filter(|text| !text.trim().is_empty());
            text.or_else(|| node.attribute("message"))
        })
        .collect();
    let said = said.join("\n");
    let name = suite
        .attribute("name")
        .map(str::trim)
        .filter(|name| !name.is_empty());
    Some(Failure {
        id: name.map_or_else(
            || "test suite".to_owned(),
            |name| format!("test suite {name}"),
        ),
        kind: FailureKind::Error,
        summary: format!("{bad} failed in it by its own count, and it does not say which"),
        detail: Some(said.trim_end().to_owned())
            .filter(|said| !said.is_empty())
            .map(|said| {
                let (summary, detail) = told(&said);
                detail.unwrap_or(summary)
            }),
        places: places_in(&said),
        ..Failure::default()
    })
}

/// Returns the parts of the report that enclose a test: its suite, the suite's package and file,
/// and the outer suites.
fn within(case: Node<'_, '_>) -> Vec<String> {
    let is_suite = |node: &Node<'_, '_>| node.tag_name().name() == "testsuite";
    let suites: Vec<Node<'_, '_>> = case.ancestors().filter(is_suite).collect();
    let of = |name: &str| {
        let nearest = suites.first().and_then(|suite| suite.attribute(name));
        nearest.unwrap_or_default().trim().to_owned()
    };
    let file = case.attribute("file").map(str::to_owned);
    let file = file.unwrap_or_else(|| of("file"));
    let names = suites.iter().rev().filter_map(|it| it.attribute("name"));
    let around: Vec<&str> = names.filter(|name| !name.trim().is_empty()).collect();
    // A single enclosing suite tells nothing apart, so omit its name.
    let around = match suites.len() {
        0 | 1 => String::new(),
        _ => around.join(" › "),
    };
    let all = [of("name"), of("package"), file, around];
    match all.iter().all(String::is_empty) {
        true => Vec::new(),
        false => all.into(),
    }
}

#[cfg(test)]
#[path = "junit_xml_tests.rs"]
mod tests;
