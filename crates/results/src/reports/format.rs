//! The table of report formats, `reports.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::report_node::ReportPath;

#[derive(Default, Deserialize)]
pub(super) struct Formats {
    #[serde(rename = "report")]
    pub(super) all: Vec<Format>,
}

#[derive(Deserialize)]
pub(super) struct Format {
    /// The program's name in results.
    pub(super) name: String,
    /// The name of the root element in XML.
    pub(super) xml: Option<String>,
    /// Name of a test's element in XML, and of the elements in it that report its outcome.
    #[serde(default)]
    pub(super) unit: String,
    #[serde(default)]
    pub(super) telling: Vec<String>,
    /// True for one JSON value per line.
    #[serde(default)]
    pub(super) lines: bool,
    marks: Vec<String>,
    pub(super) tests: Vec<ReportPath>,
    pub(super) parts: Vec<ReportPath>,
    pub(super) join: String,
    pub(super) status: ReportPath,
    pub(super) passed: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) said: Vec<ReportPath>,
    /// Class of the exception. The summary begins with it.
    pub(super) kind: Option<ReportPath>,
    pub(super) file: Option<ReportPath>,
    pub(super) line: Option<ReportPath>,
    pub(super) class: Option<Class>,
    #[serde(default)]
    pub(super) counts: BTreeMap<Outcome, Vec<ReportPath>>,
    pub(super) ok: Option<ReportPath>,
    pub(super) end: Option<ReportPath>,
    #[serde(default)]
    pub(super) errors: Vec<ErrorRule>,
}

/// An outcome that a report counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Passed,
    Failed,
    Skipped,
    All,
}

/// A list with the class of each test.
#[derive(Deserialize)]
pub(super) struct Class {
    pub(super) list: ReportPath,
    pub(super) key: ReportPath,
    pub(super) of: ReportPath,
    pub(super) value: ReportPath,
}

/// Objects that report failures outside of tests.
#[derive(Deserialize)]
pub(super) struct ErrorRule {
    pub(super) at: ReportPath,
    pub(super) name: Vec<ReportPath>,
    pub(super) status: Option<ReportPath>,
    #[serde(default)]
    pub(super) good: Vec<String>,
    pub(super) said: Vec<ReportPath>,
    /// True if a failed test in the same object is the reason and makes this one redundant.
    #[serde(default)]
    pub(super) without_tests: bool,
}

impl Format {
    pub(super) fn is_marked(&self, text: &str) -> bool {
        self.marks.iter().all(|mark| text.contains(mark.as_str()))
    }
}

/// The formats. The build script writes the table as JSON.
pub(super) static FORMATS: LazyLock<Formats> = LazyLock::new(|| {
    let table = include_str!(concat!(env!("OUT_DIR"), "/reports.json"));
    serde_json::from_str(table).unwrap_or_default()
});
