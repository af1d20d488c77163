//! What `cargo test` and `pytest` print.

use crate::place::Place;
use crate::{Found, Report};

/// Reads what a runner printed; none where it was neither.
pub(crate) fn read(text: &str) -> Option<Report> {
    if text.lines().any(|line| line.starts_with("test result: ")) {
        return Some(cargo(text));
    }
    let is_pytest = |line: &str| line.starts_with('=') && line.contains("test session starts");
    let ended = |line: &str| {
        line.trim_matches('=').trim().ends_with('s')
            && line.contains(" in ")
            && (line.contains(" passed") || line.contains(" failed"))
    };
    text.lines()
        .any(|line| is_pytest(line) || ended(line))
        .then(|| pytest(text))
}

fn cargo(text: &str) -> Report {
    let mut failures: Vec<Found> = Vec::new();
    let mut passed = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(result) = line.strip_prefix("test result: ") {
            passed += counted(result, "passed").unwrap_or_default();
        }
        let Some(test) = line
            .strip_prefix("---- ")
            .and_then(|rest| rest.strip_suffix(" stdout ----"))
        else {
            continue;
        };
        let mut place = None;
        let mut message = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("---- ") && *line != "failures:")
        {
            if place.is_none() && line.starts_with("thread '") {
                place = line
                    .rsplit_once("panicked at ")
                    .and_then(|(_, at)| Place::parse(at.trim_end_matches(':')));
            } else if !line.starts_with("note: ") && !line.starts_with("stack backtrace:") {
                message.push(line);
            }
        }
        failures.push(Found {
            test: test.to_owned(),
            message: message.join("\n"),
            place,
        });
    }
    Report {
        failures,
        passed: Some(passed),
        format: "cargo",
    }
}

/// The number before `word`: `3 passed`.
fn counted(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.'))
        .collect();
    let at = words.iter().position(|other| *other == word)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

fn pytest(text: &str) -> Report {
    let mut failures: Vec<Found> = Vec::new();
    let mut passed = None;
    let mut current: Option<Found> = None;
    for line in text.lines() {
        let bare = line.trim_matches('_').trim();
        let is_heading = line.starts_with("____")
            && line.ends_with('_')
            && !bare.is_empty()
            && !bare.starts_with('_');
        let is_end = line.starts_with("====");
        if is_heading || is_end {
            failures.extend(current.take());
        }
        if is_heading {
            current = Some(Found {
                test: bare.to_owned(),
                message: String::new(),
                place: None,
            });
        } else if is_end {
            passed = counted(line.trim_matches('='), "passed").or(passed);
        } else if let Some(found) = &mut current {
            if let Some(said) = line.strip_prefix("E ") {
                found.message.push_str(said.trim());
                found.message.push('\n');
            } else if let Some(place) = Place::parse(line).filter(|place| place.file.contains('.'))
            {
                // The last one is the innermost.
                found.place = Some(place);
            }
        }
    }
    failures.extend(current);
    Report {
        failures,
        passed,
        format: "pytest",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(report: &Report) -> Vec<(&str, &str, Option<String>)> {
        let told = report.failures.iter();
        told.map(|found| {
            (
                &*found.test,
                found.message.trim(),
                found.place.as_ref().map(ToString::to_string),
            )
        })
        .collect()
    }

    #[test]
    fn cargo_says_where_it_panicked() {
        let report = read(
            "running 2 tests\ntest a::b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' (123) panicked at src/lib.rs:5:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    a::b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\ntest result: ok. 4 passed; 0 failed\n",
        )
        .unwrap();
        assert_eq!((report.format, report.passed), ("cargo", Some(5)));
        let message = "assertion `left == right` failed\n  left: 1\n right: 2";
        assert_eq!(
            told(&report),
            [("a::b", message, Some("src/lib.rs:5".to_owned()))]
        );
    }

    #[test]
    fn pytest_says_where_it_failed() {
        let report = read(
            "===== test session starts ===\ncollected 2 items\n\n===== FAILURES ===\n____ test_a ____\n\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\n\ntests/test_a.py:4: AssertionError\n____ TestB.test_c ____\n\ntests/test_b.py:9: in test_c\n    g()\nsrc/g.py:2: in g\n    raise ValueError('x')\nE   ValueError: x\n===== short test summary info ===\nFAILED tests/test_a.py::test_a\n===== 2 failed, 3 passed in 0.03s ===\n",
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
    fn anything_else_is_no_report() {
        assert_eq!(read("hello\nworld in 3 words\n"), None);
    }
}
