//! Failures in the reports of test runners, with the places they point to.

mod junit;
mod place;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_step::host::{self, Level};
use windlass_step::{Failure, Plugin, Purity, export};

use crate::place::Place;

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
    /// The folder that paths in the report are relative to; the root if not said.
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
    text::read(text).ok_or_else(|| {
        "this is no report that is known: JUnit XML, or what `cargo test` or `pytest` prints"
            .to_owned()
    })
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
            (None, Some(file)) => {
                let read = host::read(file, 0, 0)?;
                let lines: Vec<String> = read.lines.into_iter().map(|line| line.text).collect();
                lines.join("\n")
            }
            _ => return Err(Failure::invalid("give either `file` or `text`")),
        };
        let report = read(&text).map_err(Failure::failed)?;
        let failed = report.failures.len();
        let base = input.base.unwrap_or_default();
        let shown = report.failures.into_iter().take(input.limit);
        let failures = shown.map(|found| reported(found, &base)).collect();
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

fn reported(found: Found, base: &str) -> Reported {
    let lines = found.place.as_ref().and_then(|place| {
        let file = place.file_below(base)?;
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
