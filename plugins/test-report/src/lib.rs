//! Failures in the reports of test runners, with the places they point to.

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

/// Finds failures in the report of a test runner: JUnit XML, or what `cargo test`, `pytest`, `go test` and many others print.
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
    /// Which sort of report it is: `junit`, or the program that printed it, as `cargo`, `pytest` or `go`.
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
    /// The first failures.
    failures: Vec<Found>,
    /// How many there are.
    failed: usize,
    passed: Option<u64>,
    format: &'static str,
}

/// Reads a report of any sort, with so many failures at `most`. One that counts more than it shows is refused: what it leaves out would
/// pass for nothing.
fn read(text: &str, most: usize) -> Result<Report, String> {
    let found = read_up_to(text, most).map_err(|error| error.to_string())?;
    if !found.is_recognised {
        return Err("this is no report that is known: JUnit XML, or what `cargo test`, `pytest` and other test runners print".to_owned());
    }
    let format = found.programs.first().copied().unwrap_or("other");
    if found.unnamed > 0 {
        let counted = found.tests.map_or(0, |tests| tests.failed);
        // What XML counts, it shows; but for what its suites say of themselves.
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

/// Why it failed: the line that stands for it, with those that follow it in what was said.
fn message(summary: &str, detail: Option<&str>) -> String {
    let mut lines = detail.unwrap_or_default().lines();
    let is_said = lines.by_ref().any(|line| line.contains(summary));
    let lines = lines.filter(|line| !line.starts_with("note: run with "));
    match (summary, is_said) {
        ("", _) => detail.unwrap_or("the report does not say why").to_owned(),
        (summary, false) => summary.to_owned(),
        (summary, true) => [summary]
            .into_iter()
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n"),
    }
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
