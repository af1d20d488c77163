//! The plugin `test-report`: failures in reports of test runners, with their locations.

mod place;
mod root;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_results::read_up_to;
use windlass_step::host::{self, Level};
use windlass_step::{Failure, Plugin, Purity, export};

use crate::place::Place;
use crate::root::Root;

/// Finds failures in the report of a test runner: JUnit XML, or the output of `cargo test`, `pytest`, `go
/// test` and many others.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// File with the report.
    #[serde(default)]
    file: Option<String>,
    /// Text of the report, for example the output of a `command` step.
    #[serde(default)]
    text: Option<String>,
    /// Folder that relative paths in the report start from; default is the root. Or the folder that contained
    /// the repository on the machine of the report, if absolute paths do not identify it.
    #[serde(default)]
    base: Option<String>,
    /// Maximum number of failures to return.
    #[serde(default = "limit")]
    limit: usize,
}

fn limit() -> usize {
    200
}

/// Contents of the report.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Failures, in report order.
    failures: Vec<Reported>,
    /// Number of failures without the limit.
    failed: usize,
    /// Number of tests that passed, if reported.
    passed: Option<u64>,
    /// Format of the report: `junit`, or the program that printed it, for example `cargo`, `pytest` or `go`.
    format: &'static str,
}

/// Failed test.
#[derive(Debug, Serialize, JsonSchema)]
struct Reported {
    /// Name of the test.
    label: String,
    /// Kind of result.
    kind: &'static str,
    /// Reason for the failure, as reported.
    message: String,
    /// Location of the failure, as reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// Line of the failure, if the repository has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// A failed test, as parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    test: String,
    message: String,
    place: Option<Place>,
}

/// Counts and failures parsed from a report.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    /// The first failures, at most as many as requested.
    failures: Vec<Found>,
    /// Total number of failures.
    failed: usize,
    passed: Option<u64>,
    format: &'static str,
}

/// Parses a report of any format, with at most `most` failures. We refuse a report that counts more
/// failures than it shows, because the missing ones would look like passed tests.
fn read(text: &str, most: usize) -> Result<Report, String> {
    let found = read_up_to(text, most).map_err(|error| error.to_string())?;
    if !found.is_recognised {
        return Err("this is no report that is known: JUnit XML, or what `cargo test`, `pytest` and other test runners print".to_owned());
    }
    let format = found.programs.first().copied().unwrap_or("other");
    if found.unnamed > 0 {
        let counted = found.tests.map_or(0, |tests| tests.failed);
        // JUnit XML shows every failure it counts, except for the totals of its suites.
        let shown = match format {
            "junit" => counted,
            _ => counted.saturating_sub(found.unnamed),
        };
        let counted = shown.saturating_add(found.unnamed);
        let how = match format {
            "pytest" => ": `--tb=short` and `-rfE` show what failed",
            _ => "",
        };
        return Err(format!(
            "the report counts {counted} failures and shows {shown}: it is not whole{how}"
        ));
    }
    Ok(Report {
        failed: found.failures.len() + found.left_out as usize,
        passed: found.tests.map(|tests| tests.passed.into()),
        format,
        failures: found.failures.into_iter().map(Found::of).collect(),
    })
}

impl Found {
    fn of(failure: windlass_results::Failure) -> Self {
        Self {
            place: failure.innermost().and_then(Place::parse),
            message: message(&failure.summary, failure.detail.as_deref()),
            test: failure.id,
        }
    }
}

/// Returns the reason for a failure: its summary line, and the lines after it in the details.
fn message(summary: &str, detail: Option<&str>) -> String {
    let mut lines = detail.unwrap_or_default().lines();
    let is_quoted = lines.by_ref().any(|line| line.contains(summary));
    let lines = lines.filter(|line| !line.starts_with("note: run with "));
    match (summary, is_quoted) {
        ("", _) => detail.unwrap_or("the report does not say why").to_owned(),
        (summary, false) => summary.to_owned(),
        (summary, true) => [summary]
            .into_iter()
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// Maximum length of a message in characters.
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
        let report = read(&text, input.limit).map_err(Failure::failed)?;
        let (failed, shown) = (report.failed, report.failures);
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
mod tests;
