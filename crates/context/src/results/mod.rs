//! What tests and compilers said, as it stands in files: JUnit XML, and what programs print.

mod counts;
mod junit;
mod printed;

use std::collections::BTreeMap;

use crate::{Failure, TestCount};

/// The most failures that are taken in; the rest is counted.
pub(crate) const MOST_FAILURES: usize = 200;
/// The most lines of what is said of one failure that are carried along.
pub(crate) const MOST_LINES: usize = 40;
/// The most characters of one line.
const MOST_CHARS: usize = 400;

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// What fails, in the order of the file, each once.
    pub failures: Vec<Failure>,
    /// How many tests there were, where that is said.
    pub tests: Option<TestCount>,
    /// Failures that are not taken in.
    pub left_out: u32,
    /// Whether anything in it is known to be of a test or compiler. What is not says nothing of what fails.
    pub is_recognised: bool,
}

/// Why a file of results cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotResults {
    /// The line.
    pub line: u32,
    /// Why not.
    pub why: String,
}

/// Reads what a test or compiler said: JUnit XML, or what cargo, rustc, pytest, go test and others print.
///
/// # Errors
/// When it is XML that is not well formed.
pub fn read_results(text: &str) -> Result<Results, NotResults> {
    let text = text.trim_start_matches('\u{feff}');
    let mut found = if text.trim_start().starts_with('<') {
        junit::read(text)?
    } else {
        printed::read(text)
    };
    found.is_recognised |=
        found.tests.is_some() || !found.failures.is_empty() || text.trim().is_empty();
    let mut seen: BTreeMap<String, ()> = BTreeMap::new();
    found
        .failures
        .retain(|failure| seen.insert(failure.id.clone(), ()).is_none());
    found.left_out =
        u32::try_from(found.failures.len().saturating_sub(MOST_FAILURES)).unwrap_or(u32::MAX);
    found.failures.truncate(MOST_FAILURES);
    Ok(found)
}

/// What is said, as far as it is carried along; its first line that says something.
pub(crate) fn told(text: &str) -> (String, Option<String>) {
    let mut lines = text
        .lines()
        .map(str::trim_end)
        .skip_while(|line| line.is_empty());
    let kept: Vec<String> = lines
        .by_ref()
        .take(MOST_LINES)
        .map(|line| line.chars().take(MOST_CHARS).collect())
        .collect();
    let kept = kept.join("\n").trim_end().to_owned();
    let is_telling = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("thread '") && !line.starts_with("Traceback")
    };
    let summary = kept
        .lines()
        .find(is_telling)
        .or_else(|| kept.lines().next());
    let summary: String = summary
        .unwrap_or_default()
        .trim()
        .chars()
        .take(200)
        .collect();
    let detail = (kept.lines().count() > 1).then_some(kept);
    (summary, detail)
}

/// Places that a text names: `src/main.rs:12`, `File "a.py", line 3`. At most four, in order, each once.
pub(crate) fn places_in(text: &str) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for line in text.lines() {
        let python = line.trim().strip_prefix("File \"").and_then(|rest| {
            let (file, rest) = rest.split_once('"')?;
            let number = rest.strip_prefix(", line ")?;
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            Some(format!("{file}:{digits}"))
        });
        // `src/app.ts(3,5): error TS2322: …`
        let typescript = line.split_once("): error ").and_then(|(before, _)| {
            let (file, numbers) = before.rsplit_once('(')?;
            place_of(&format!("{}:{}", file.trim(), numbers.split(',').next()?))
        });
        let is_part = |c: char| c.is_alphanumeric() || "/._-:+@\\".contains(c);
        let words = line.split(|c: char| !is_part(c)).filter_map(place_of);
        for place in python.into_iter().chain(typescript).chain(words) {
            if !places.contains(&place) && places.len() < 4 {
                places.push(place);
            }
        }
    }
    places
}

/// `src/main.rs:12` of `src/main.rs:12:5`; nothing for what names no line of a file.
fn place_of(word: &str) -> Option<String> {
    let mut parts = word.splitn(3, ':');
    let (file, line) = (parts.next()?, parts.next()?);
    let (stem, ending) = file.rsplit_once('.')?;
    let is_ending = (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.chars().any(|c| c.is_ascii_alphabetic());
    let is_line = !line.is_empty() && line.len() < 8 && line.chars().all(|c| c.is_ascii_digit());
    (is_ending && is_line && !stem.is_empty())
        .then(|| format!("{}:{line}", file.trim_start_matches("./")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_test_and_no_compiler_says_is_not_recognised() {
        let is_recognised = |text: &str| read_results(text).unwrap().is_recognised;
        for text in [
            "",
            "test result: ok. 3 passed; 0 failed; 0 ignored",
            "===== 12 passed, 1 warning in 0.31s =====",
            "ok  \texample.org/a\t0.01s",
            "    Finished `dev` profile [unoptimized] target(s) in 0.1s",
            "Tests:       5 passed, 5 total",
            "BUILD SUCCESSFUL in 2s",
            "Found 0 errors. Watching for file changes.",
            "<testsuite name=\"a\"></testsuite>",
        ] {
            assert!(is_recognised(text), "{text}");
        }
        for text in [
            "# Notes\n\nWe passed 3 hills in 2 hours.\n",
            "<html><body/></html>",
            "{\"a\": 1}",
        ] {
            assert!(!is_recognised(text), "{text}");
        }
    }

    #[test]
    fn places_are_found_wherever_they_stand() {
        let text = "  --> src/lib.rs:3:5\nat ./a/b.test.ts:10\n  File \"x y.py\", line 7, in f\nhttp://x.org:80/ 12:30:11 v1.2:3";
        assert_eq!(
            places_in(text),
            ["src/lib.rs:3", "a/b.test.ts:10", "x y.py:7"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ -~\n<>/\"=:.]{0,300}") {
            let _ = read_results(&text);
            let _ = read_results(&format!("<testsuite>{text}"));
        }
    }
}
