//! JUnit XML, as most runners can write it.

use report_xml::{Event, attribute, events};

use crate::place::Place;
use crate::{Found, Report};

/// Reads a report in JUnit's XML.
pub(crate) fn read(text: &str) -> Result<Report, String> {
    let mut report = Report {
        failures: Vec::new(),
        passed: Some(0),
        format: "junit",
    };
    let mut case: Option<Case> = None;
    let mut is_junit = false;
    for event in events(text)? {
        match event {
            Event::Start {
                name,
                attributes,
                closed,
            } => match &*name {
                "testsuites" | "testsuite" => is_junit = true,
                "testcase" => {
                    case = Some(Case::of(&attributes));
                    if closed {
                        report.end(case.take());
                    }
                }
                "failure" | "error" => {
                    if let Some(case) = &mut case {
                        case.failed = true;
                        case.inside = !closed;
                        case.message
                            .push_str(attribute(&attributes, "message").unwrap_or_default());
                    }
                }
                "skipped" => {
                    if let Some(case) = &mut case {
                        case.skipped = true;
                    }
                }
                _ => {}
            },
            Event::Text(text) => {
                if let Some(case) = case.as_mut().filter(|case| case.inside) {
                    case.details.push_str(&text);
                }
            }
            Event::End(name) => match &*name {
                "failure" | "error" => {
                    if let Some(case) = &mut case {
                        case.inside = false;
                    }
                }
                "testcase" => report.end(case.take()),
                _ => {}
            },
        }
    }
    match is_junit {
        true => Ok(report),
        false => Err("this XML is no JUnit report: it has no `testsuite`".to_owned()),
    }
}

#[derive(Default)]
struct Case {
    test: String,
    place: Option<Place>,
    failed: bool,
    skipped: bool,
    /// Within the element that says why it failed.
    inside: bool,
    message: String,
    details: String,
}

impl Case {
    fn of(attributes: &[(String, String)]) -> Self {
        let name = attribute(attributes, "name").unwrap_or_default();
        let class = attribute(attributes, "classname").unwrap_or_default();
        let file = attribute(attributes, "file");
        let line = attribute(attributes, "line").and_then(|line| line.parse().ok());
        Self {
            test: match class {
                "" => name.to_owned(),
                class => format!("{class}::{name}"),
            },
            place: file.and_then(|file| {
                let line = line.filter(|line| *line > 0)?;
                Some(Place {
                    file: file.to_owned(),
                    line,
                })
            }),
            ..Self::default()
        }
    }
}

impl Report {
    fn end(&mut self, case: Option<Case>) {
        let Some(case) = case else {
            return;
        };
        if !case.failed {
            if !case.skipped {
                self.passed = self.passed.map(|passed| passed + 1);
            }
            return;
        }
        // The last place that is named is the innermost in what Python prints, and the only one in most others.
        let named = case
            .details
            .lines()
            .rev()
            .chain(case.message.lines())
            .find_map(place_in);
        self.failures.push(Found {
            test: case.test,
            message: match case.message.trim().is_empty() {
                true => case.details,
                false => case.message,
            },
            place: named.or(case.place),
        });
    }
}

/// A place in a line: a word that is one.
fn place_in(line: &str) -> Option<Place> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"'))
        .filter(|word| word.contains('.') || word.contains('/'))
        .find_map(|word| Place::parse(word.trim_end_matches(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_and_errors_are_found_with_their_places() {
        let report = read(
            r#"<?xml version="1.0"?><testsuites><testsuite name="s" tests="4">
            <testcase classname="a.B" name="ok" time="0.1"/>
            <testcase classname="a.B" name="left" time="0.1"><skipped/></testcase>
            <testcase classname="a.B" name="wrong &lt;1&gt;"><failure message="expected 1 &amp; 2"><![CDATA[
tests/test_b.py:12: in test
tests/helper.py:3: AssertionError]]></failure></testcase>
            <testcase name="broken" file="x.js" line="7"><error type="E">it &#33;</error></testcase>
            </testsuite></testsuites>"#,
        )
        .unwrap();
        assert_eq!(report.passed, Some(1));
        let told: Vec<_> = report
            .failures
            .iter()
            .map(|found| {
                (
                    &*found.test,
                    found.message.trim(),
                    found.place.as_ref().map(ToString::to_string),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    "a.B::wrong <1>",
                    "expected 1 & 2",
                    Some("tests/helper.py:3".to_owned())
                ),
                ("broken", "it !", Some("x.js:7".to_owned())),
            ]
        );
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for text in [
            "<html><p>a</p></html>",
            "<testsuite",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><testsuite/>",
            "<testsuite name=x/>",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
