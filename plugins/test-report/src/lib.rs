//! Failures in the reports of test runners, with the places they point to.

mod cargo;
mod junit;
mod place;
mod pytest;
mod root;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_step::host::{self, Level};
use windlass_step::{Failure, Plugin, Purity, export};

use crate::place::Place;
use crate::root::Root;

/// Finds failures in the report of a test runner: JUnit XML, or what `cargo test` and `pytest` print.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A file with the report.
    #[serde(default)]
    file: Option<String>,
    /// The report itself, as text: what a `command` step printed.
    #[serde(default)]
    text: Option<String>,
    /// The folder that paths in the report are relative to; the root if not said. Or the folder of the machine that the
    /// repository lay in, where absolute paths do not tell.
    #[serde(default)]
    base: Option<String>,
    /// How many failures to give back.
    #[serde(default = "limit")]
    limit: usize,
}

fn limit() -> usize {
    200
}

/// What the report says.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The failures, in the order of the report.
    failures: Vec<Reported>,
    /// How many there are without the limit.
    failed: usize,
    /// How many tests passed, where the report says so.
    passed: Option<u64>,
    /// Which sort of report it is: `junit`, `cargo` or `pytest`.
    format: &'static str,
}

/// A test that failed.
#[derive(Debug, Serialize, JsonSchema)]
struct Reported {
    /// The test.
    label: String,
    /// What sort of thing this is.
    kind: &'static str,
    /// Why it failed, in the words of the report.
    message: String,
    /// Where it failed, as the report has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// The line it failed at, where the repository has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// A test that failed, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    test: String,
    message: String,
    place: Option<Place>,
}

/// A report as it was read.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    failures: Vec<Found>,
    passed: Option<u64>,
    format: &'static str,
}

/// Reads a report of any sort.
fn read(text: &str) -> Result<Report, String> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return junit::read(start);
    }
    let plain = without_colours(start);
    let known = [cargo::read(&plain), pytest::read(&plain)];
    known.into_iter().flatten().next().unwrap_or_else(|| {
        Err(
            "this is no report that is known: JUnit XML, or what `cargo test` or `pytest` prints"
                .to_owned(),
        )
    })
}

/// Text without what colours it on a terminal.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_digit() || c == ';'));
        let behind = end.and_then(|end| part[end..].chars().next().map(|c| end + c.len_utf8()));
        plain.push_str(behind.map_or("", |behind| &part[behind..]));
    }
    plain
}

/// Makes sure that as many failures were found as the report counts itself: what it leaves out would pass for nothing.
fn check_whole(said: u64, found: usize, how: &str) -> Result<(), String> {
    match said > found as u64 {
        true => Err(format!(
            "the report counts {said} failures and shows {found}: it is not whole{how}"
        )),
        false => Ok(()),
    }
}

/// The number before `word`: `3 passed`.
fn counted(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '='))
        .collect();
    let at = words.iter().position(|other| *other == word)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

/// The most characters of a message.
const MAX_MESSAGE: usize = 2_000;

struct TestReport;

impl Plugin for TestReport {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "test-report";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const PURPOSE: &'static str =
        "find failures in the report of a test runner, with the lines they point to";
    const PURITY: Purity = Purity::Reads;
    const MAIN: Option<&'static str> = Some("failures");

    fn run(input: Input) -> Result<Output, Failure> {
        let text = match (input.text, &input.file) {
            (Some(text), None) => text,
            (None, Some(file)) => host::read_text(file)?,
            _ => return Err(Failure::invalid("give either `file` or `text`")),
        };
        let report = read(&text).map_err(Failure::failed)?;
        let failed = report.failures.len();
        let mut shown = report.failures;
        shown.truncate(input.limit);
        let places = shown.iter().filter_map(|found| found.place.as_ref());
        let has = |file: &str, line| host::read(file, line, line).is_ok();
        let root = Root::of(places, &input.base.unwrap_or_default(), has);
        let failures = shown
            .into_iter()
            .map(|found| reported(found, &root))
            .collect();
        if failed > input.limit {
            host::log(
                Level::Warn,
                &format!("only the first {} of {failed} failures", input.limit),
            );
        }
        Ok(Output {
            failures,
            failed,
            passed: report.passed,
            format: report.format,
        })
    }
}

fn reported(found: Found, root: &Root) -> Reported {
    let lines = found.place.as_ref().and_then(|place| {
        let file = root.file_of(place)?;
        host::read(&file, place.line, place.line).ok()
    });
    let message: String = found.message.trim().chars().take(MAX_MESSAGE).collect();
    Reported {
        label: found.test,
        kind: "test failure",
        message,
        place: found.place.map(|place| place.to_string()),
        evidence: lines.map(|lines| lines.evidence).into_iter().collect(),
    }
}

export!(TestReport);

#[cfg(test)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_say_nothing() {
        assert_eq!(
            without_colours("\u{1b}[1;31m== a\u{1b}[0m b\u{1b}[Kc\u{1b}["),
            "== a bc"
        );
        let report = read(
            "\u{1b}[32m\u{1b}[32m\u{1b}[1m3 passed\u{1b}[0m\u{1b}[32m in 0.02s\u{1b}[0m\u{1b}[0m\n",
        );
        assert_eq!(report.unwrap().passed, Some(3));
    }
}
