//! What `pytest` prints.

use crate::place::Place;
use crate::{Found, Report, check_whole, counted};

/// Reads what `pytest` printed; none where it was something else.
pub(crate) fn read(text: &str) -> Option<Result<Report, String>> {
    let begins = |line: &str| line.starts_with('=') && line.contains("test session starts");
    let is_pytest = text
        .lines()
        .any(|line| begins(line) || result(line).is_some());
    is_pytest.then(|| of(text))
}

/// The numbers that it ends with: `2 failed, 3 passed in 0.03s`, with or without `=` around.
fn result(line: &str) -> Option<&str> {
    let (numbers, took) = line
        .trim_matches(|c| matches!(c, '=' | ' '))
        .rsplit_once(" in ")?;
    let seconds = took.split_whitespace().next()?.strip_suffix('s')?;
    if numbers == "no tests ran" {
        return seconds.parse::<f64>().is_ok().then_some(numbers);
    }
    let is_number = |part: &str| {
        let mut words = part.split_whitespace();
        words
            .next()
            .is_some_and(|number| number.parse::<u64>().is_ok())
            && words.next().is_some()
    };
    let is_known = |word| counted(numbers, word).is_some();
    let is_result = seconds.parse::<f64>().is_ok()
        && numbers.split(',').all(is_number)
        && [
            "passed",
            "failed",
            "error",
            "errors",
            "skipped",
            "deselected",
            "xfailed",
            "xpassed",
            "warning",
            "warnings",
        ]
        .into_iter()
        .any(is_known);
    is_result.then_some(numbers)
}

fn of(text: &str) -> Result<Report, String> {
    let mut reading = Reading::default();
    let (mut passed, mut said) = (None, 0);
    for line in text.lines() {
        match result(line) {
            Some(numbers) => {
                reading.section("");
                let number = |word| counted(numbers, word);
                let failed = ["failed", "error", "errors"].into_iter().filter_map(number);
                said += failed.sum::<u64>();
                // Of what there is none, nothing is said.
                passed = Some(passed.unwrap_or(0) + number("passed").unwrap_or(0));
            }
            None => reading.line(line),
        }
    }
    if passed.is_none() {
        return Err("the report ends before its numbers: it is not whole".to_owned());
    }
    let failures = reading.failures(said);
    let how = ": `--tb=short` and `-rfE` show what failed";
    check_whole(said, failures.len(), how)?;
    Ok(Report {
        failures,
        passed,
        format: "pytest",
    })
}

/// What is being read.
#[derive(Default)]
struct Reading {
    /// With a traceback.
    traced: Vec<Found>,
    current: Option<Found>,
    /// Failures in one line each, among the failures or in the summary.
    lines: Vec<Found>,
    summary: Vec<Found>,
    within: Within,
}

#[derive(Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Failures,
    Summary,
}

impl Reading {
    fn section(&mut self, title: &str) {
        self.traced.extend(self.current.take());
        self.within = match title {
            "FAILURES" | "ERRORS" => Within::Failures,
            "short test summary info" => Within::Summary,
            _ => Within::Nothing,
        };
    }

    fn line(&mut self, line: &str) {
        if line.starts_with("====") {
            return self.section(line.trim_matches('=').trim());
        }
        let bare = line.trim_matches('_').trim();
        let is_heading = self.within == Within::Failures
            && line.starts_with("____")
            && line.ends_with('_')
            && !bare.is_empty();
        if is_heading {
            self.traced.extend(self.current.take());
            self.current = Some(Found {
                test: bare.to_owned(),
                message: String::new(),
                place: None,
            });
            return;
        }
        let place = || Place::parse(line).filter(|place| place.file.contains('.'));
        if let Some(found) = &mut self.current {
            if let Some(said) = line.strip_prefix("E ") {
                found.message.push_str(said.trim());
                found.message.push('\n');
            } else if let Some(place) = place() {
                // The last one is the innermost.
                found.place = Some(place);
            }
        } else if self.within == Within::Summary {
            self.summary.extend(summed_up(line));
        } else if self.within == Within::Failures
            && let Some(place) = place()
        {
            let said = line.splitn(3, ':').nth(2).unwrap_or_default().trim();
            self.lines.push(Found {
                test: place.to_string(),
                message: said.to_owned(),
                place: Some(place),
            });
        }
    }

    /// All of them, as well as they are known, of which there are `said`.
    fn failures(mut self, said: u64) -> Vec<Found> {
        self.traced.extend(self.current.take());
        // With `--tb=line` each has its line, in the same order as in the summary.
        if self.traced.is_empty() {
            let same = self.lines.len() == self.summary.len();
            let named = self.lines.into_iter().zip(&self.summary);
            return match same {
                true => named
                    .map(|(line, summed)| Found {
                        test: summed.test.clone(),
                        ..line
                    })
                    .collect(),
                false => self.summary,
            };
        }
        // What a test prints may look like the heading of another.
        if self.traced.len() as u64 > said && self.summary.len() as u64 == said {
            let summary = &self.summary;
            self.traced
                .retain(|found| summary.iter().any(|summed| is_same(found, summed)));
        }
        // A test that could not even be set up may be in the summary alone.
        let traced = &self.traced;
        let is_new = |summed: &&Found| !traced.iter().any(|found| is_same(found, summed));
        let more: Vec<Found> = self.summary.iter().filter(is_new).cloned().collect();
        self.traced.extend(more);
        self.traced
    }
}

/// Whether a traceback is of a test in the summary: `TestA.test_b`, `ERROR at setup of TestA.test_b`, `ERROR collecting a.py`.
fn is_same(traced: &Found, summed: &Found) -> bool {
    let name = summed.test.split_once("::").map(|(_, name)| name);
    let name = name.unwrap_or(&summed.test).replace("::", ".");
    traced.test == name || traced.test.ends_with(&format!(" {name}"))
}

/// `FAILED tests/test_a.py::test_b - assert 1 == 2`.
fn summed_up(line: &str) -> Option<Found> {
    let rest = line
        .strip_prefix("FAILED ")
        .or_else(|| line.strip_prefix("ERROR "))?;
    let (test, message) = rest
        .split_once(" - ")
        .unwrap_or((rest, "the report does not say why"));
    Some(Found {
        test: test.trim().to_owned(),
        message: message.to_owned(),
        place: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told;

    #[test]
    fn pytest_says_where_it_failed() {
        let report = of(
            "===== test session starts =====\ncollected 2 items\n\n===== FAILURES =====\n____ test_a ____\n\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\n\ntests/test_a.py:4: AssertionError\n____ TestB.test_c ____\n\ntests/test_b.py:9: in test_c\n    g()\nsrc/g.py:2: in g\n    raise ValueError('x')\nE   ValueError: x\n===== short test summary info =====\nFAILED tests/test_a.py::test_a\n===== 2 failed, 3 passed in 0.03s =====\n",
        )
        .unwrap();
        assert_eq!((report.format, report.passed), ("pytest", Some(3)));
        assert_eq!(
            told(&report),
            [
                (
                    "test_a",
                    "assert 1 == 2",
                    Some("tests/test_a.py:4".to_owned())
                ),
                (
                    "TestB.test_c",
                    "ValueError: x",
                    Some("src/g.py:2".to_owned())
                ),
            ]
        );
    }

    #[test]
    fn failures_without_a_traceback_are_found_or_missed() {
        let none = "FF [100%]\n==== short test summary info ====\nFAILED t/test_a.py::test_a - assert 1 == 2\nFAILED t/test_a.py::TestB::test_b\n2 failed in 0.04s\n";
        let wanted = [
            ("t/test_a.py::test_a", "assert 1 == 2", None),
            (
                "t/test_a.py::TestB::test_b",
                "the report does not say why",
                None,
            ),
        ];
        assert_eq!(told(&of(none).unwrap()), wanted);
        let line = "===== FAILURES =====\n/w/t/test_a.py:2: assert 1 == 2\n/w/t/test_a.py:9: ValueError: x\n===== short test summary info =====\nFAILED t/test_a.py::test_a - assert 1 == 2\nFAILED t/test_a.py::test_b - ValueError: x\n===== 2 failed, 1 passed in 75.10s (0:01:15) =====\n";
        let wanted = [
            (
                "t/test_a.py::test_a",
                "assert 1 == 2",
                Some("/w/t/test_a.py:2".to_owned()),
            ),
            (
                "t/test_a.py::test_b",
                "ValueError: x",
                Some("/w/t/test_a.py:9".to_owned()),
            ),
        ];
        assert_eq!(told(&of(line).unwrap()), wanted);
        for silent in [
            "F. [100%]\n1 failed, 1 passed in 0.04s\n",
            "1 error in 0.10s\n",
        ] {
            let error = read(silent).unwrap().unwrap_err();
            assert!(error.contains("counts 1 failures and shows 0"), "{error}");
        }
    }

    #[test]
    fn errors_count_and_are_told_once() {
        let text = "===== test session starts =====\n===== ERRORS =====\n____ ERROR at setup of TestA.test_b ____\nE   ValueError: x\nt/test_a.py:3: ValueError\n===== short test summary info =====\nERROR t/test_a.py::TestA::test_b - ValueError: x\nERROR t/test_c.py\n===== 1 passed, 2 errors in 0.1s =====\n";
        let wanted = [
            (
                "ERROR at setup of TestA.test_b",
                "ValueError: x",
                Some("t/test_a.py:3".to_owned()),
            ),
            ("t/test_c.py", "the report does not say why", None),
        ];
        assert_eq!(told(&of(text).unwrap()), wanted);
    }

    #[test]
    fn anything_else_is_no_report() {
        assert_eq!(
            read(
                "hello\nworld in 3 words\n3 words in 5s\n"
                    .split("3 words in")
                    .next()
                    .unwrap()
            ),
            None
        );
    }

    #[test]
    fn what_looks_like_a_failure_is_none() {
        let covered = "===== test session starts =====\n_____ coverage: platform linux, python 3 _____\nName Stmts\n===== 1 passed in 0.1s =====\n";
        assert_eq!(of(covered).unwrap().failures, []);
        let printed = "===== FAILURES =====\n_____ test_a _____\nE   assert 0\nt/a.py:3: AssertionError\n----- Captured stdout call -----\n_____ x _____\n===== short test summary info =====\nFAILED t/a.py::test_a - assert 0\n===== 1 failed in 0.1s =====\n";
        let wanted = [("test_a", "assert 0", Some("t/a.py:3".to_owned()))];
        assert_eq!(told(&of(printed).unwrap()), wanted);
        assert_eq!(
            of("===== no tests ran in 0.01s =====\n").unwrap().passed,
            Some(0)
        );
        let half = read("===== test session starts =====\ncollected 2 items\n");
        assert!(half.unwrap().unwrap_err().contains("not whole"));
    }
}
