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
    let mut counted = Counted::default();
    let mut is_junit = false;
    for event in events(text)? {
        match event {
            Event::Start {
                name,
                attributes,
                closed,
            } => match &*name {
                "testsuites" | "testsuite" => {
                    is_junit = true;
                    counted.suite(&attributes, closed);
                }
                "testcase" => {
                    case = Some(Case::of(&attributes));
                    if closed {
                        report.end(case.take());
                    }
                }
                "failure" | "error" => {
                    counted.shown += 1;
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
                "testsuites" | "testsuite" => counted.depth -= 1,
                _ => {}
            },
        }
    }
    if !is_junit {
        return Err("this XML is no JUnit report: it has no `testsuite`".to_owned());
    }
    counted.check()?;
    Ok(report)
}

/// What the suites of a report say of how many tests failed, and how many the report shows.
#[derive(Default)]
struct Counted {
    /// How many suites stand around what is being read.
    depth: usize,
    said: u64,
    shown: u64,
}

impl Counted {
    /// A suite begins; one that stands in another is counted with that.
    fn suite(&mut self, attributes: &[(String, String)], closed: bool) {
        let number = |name| {
            let text = attribute(attributes, name)?;
            text.trim().parse::<u64>().ok()
        };
        let own = number("failures").unwrap_or(0) + number("errors").unwrap_or(0);
        if self.depth == 0 {
            self.said += own;
        } else {
            // Some runners count at the suites alone.
            self.said = self.said.max(own);
        }
        self.depth += usize::from(!closed);
    }

    fn check(&self) -> Result<(), String> {
        match self.said > self.shown {
            true => Err(format!(
                "the report counts {} failures and errors and shows {}: it is not whole",
                self.said, self.shown
            )),
            false => Ok(()),
        }
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
        let place = case.innermost();
        self.failures.push(Found {
            test: case.test,
            message: match case.message.trim().is_empty() {
                true => case.details,
                false => case.message,
            },
            place,
        });
    }
}

impl Case {
    /// Where it failed. Where the report has the place of the test, others are taken for nearer only if they are in its file:
    /// what a message says may be anything.
    fn innermost(&self) -> Option<Place> {
        let lines = self.details.lines().rev().chain(self.message.lines());
        let named =
            lines.filter_map(|line| Some((line.trim_start().starts_with("at "), place_in(line)?)));
        let named: Vec<(bool, Place)> = named
            .filter(|(_, place)| {
                self.place
                    .as_ref()
                    .is_none_or(|own| own.is_in_file_of(place))
            })
            .collect();
        // A trace of `at …` has the innermost first; Python's has it last, and most others name but one.
        let traced = named.iter().rev().find(|(traced, _)| *traced);
        let nearest = traced.or(named.first()).map(|(_, place)| place.clone());
        nearest.or_else(|| self.place.clone())
    }
}

/// A place in a line: a word that is one.
fn place_in(line: &str) -> Option<Place> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"'))
        .filter(|word| word.contains('.') || word.contains('/'))
        .filter_map(|word| Place::parse(word.trim_end_matches(':')))
        .find(Place::is_of_a_file)
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
            "<testsuites><testsuite><testcase name='a'/>",
            "<testsuites tests='9' failures='3'/>",
            "<testsuites><testsuite errors='1'><testcase name='a'/></testsuite></testsuites>",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_place_of_a_test_is_no_address_in_its_message() {
        let place = |case: &str| {
            let report = read(&format!(
                "<testsuites><testsuite>{case}</testsuite></testsuites>"
            ));
            report.unwrap().failures[0]
                .place
                .as_ref()
                .map(ToString::to_string)
        };
        let own = "<testcase name='db' file='t/test_a.py' line='2'><failure message='connect 127.0.0.1:5432 refused'>";
        assert_eq!(
            place(&format!("{own}</failure></testcase>")),
            Some("t/test_a.py:2".to_owned())
        );
        let nearer =
            format!("{own}/w/t/test_a.py:7: in test_db\nlib/db.py:90: Error</failure></testcase>");
        assert_eq!(place(&nearer), Some("/w/t/test_a.py:7".to_owned()));
        let address =
            "<testcase name='db'><failure message='connect 127.0.0.1:5432 refused'/></testcase>";
        assert_eq!(place(address), None);
        let node = "<testcase name='adds'><failure message='2 !== 3'>\n  at TestContext.f (/w/tests/a.test.js:3:29)\n  at g (/w/tests/b.js:9:1)\n  at Test.run (node:internal/test_runner/test:796:25)</failure></testcase>";
        assert_eq!(place(node), Some("/w/tests/a.test.js:3".to_owned()));
    }
}
