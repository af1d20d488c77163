//! The plugin `coverage`: lines not executed by any test, from lcov and Cobertura reports.

mod cobertura;
mod lcov;
mod paths;
mod spans;
mod xml;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_step::host::{self, Level};
use windlass_step::{Failure, Plugin, Purity, export};

use crate::paths::Places;
use crate::spans::{Span, uncovered};

/// Finds lines that no test executes, from the report of a coverage tool: lcov or Cobertura XML.
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
    /// Anchors or results of other steps: only lines near their evidence are returned; if missing, all lines.
    #[serde(default)]
    near: Option<Vec<Near>>,
    /// Number of lines before and after the evidence that count as near.
    #[serde(default = "around")]
    around: u32,
    /// Maximum number of ranges to return.
    #[serde(default = "limit")]
    limit: usize,
}

fn around() -> u32 {
    3
}

fn limit() -> usize {
    200
}

/// Result of another step.
#[derive(Debug, Deserialize, JsonSchema)]
struct Near {
    /// Name of the anchor.
    #[serde(default)]
    id: Option<String>,
    /// Label for people.
    #[serde(default)]
    label: String,
    /// Locations.
    #[serde(default)]
    evidence: Vec<Pointer>,
}

/// Lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
struct Pointer {
    /// File.
    file: String,
    /// First line, from 1.
    start_line: u32,
    /// Last line.
    end_line: u32,
}

/// Lines without coverage.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Executable lines that are not executed, by file and line.
    uncovered: Vec<Stretch>,
    /// Number of ranges without the limit.
    total: usize,
    /// Files of the repository that the report covers, sorted.
    files: Vec<FileCoverage>,
    /// Files of the report that the repository does not have, sorted; at most 50.
    elsewhere: Vec<String>,
    /// Number of executable lines in the repository.
    lines: usize,
    /// Number of those that are executed.
    covered: usize,
    /// Format of the report: `lcov` or `cobertura`.
    format: &'static str,
}

/// Range of adjacent lines that are not executed.
#[derive(Debug, Serialize, JsonSchema)]
struct Stretch {
    /// Location and number of lines.
    label: String,
    /// Kind of result.
    kind: &'static str,
    /// Names of nearby anchors, or labels of results without a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// Location.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// Coverage of a file.
#[derive(Debug, Serialize, JsonSchema)]
struct FileCoverage {
    /// File.
    file: String,
    /// Number of executable lines.
    lines: usize,
    /// Number of those that are executed.
    covered: usize,
}

/// Executable lines with their numbers of executions, by file as named in the report.
type Hits = BTreeMap<String, BTreeMap<u32, u64>>;

/// Maximum number of reported files that aren't in the repository.
const MAX_ELSEWHERE: usize = 50;

/// Parses a report of either format.
fn read(text: &str) -> Result<(Hits, &'static str), String> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return Ok((cobertura::read(start)?, "cobertura"));
    }
    let hits =
        lcov::read(start)?.ok_or("this is no report that is known: lcov, or Cobertura XML")?;
    Ok((hits, "lcov"))
}

struct Coverage;

impl Plugin for Coverage {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "coverage";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const PURPOSE: &'static str = "find lines that no test runs, all or those near anchors";
    const PURITY: Purity = Purity::Reads;
    const MAIN: Option<&'static str> = Some("uncovered");

    fn run(input: Input) -> Result<Output, Failure> {
        let text = match (&input.text, &input.file) {
            (Some(text), None) => text.clone(),
            (None, Some(file)) => host::read_text(file)?,
            _ => return Err(Failure::invalid("give either `file` or `text`")),
        };
        let (hits, format) = read(&text).map_err(Failure::failed)?;
        let (hits, elsewhere) = in_repository(hits, input.base.as_deref().unwrap_or_default())?;
        if hits.is_empty() && !elsewhere.is_empty() {
            host::log(
                Level::Warn,
                &format!(
                    "the report speaks of {}, and none of them is here: `base` says what its paths start from",
                    match elsewhere.len() {
                        1 => "1 file".to_owned(),
                        more => format!("{more} files"),
                    }
                ),
            );
        }
        let mut output = Output {
            uncovered: Vec::new(),
            total: 0,
            files: Vec::new(),
            elsewhere,
            lines: 0,
            covered: 0,
            format,
        };
        for (file, lines) in &hits {
            let covered = lines.values().filter(|hits| **hits > 0).count();
            output.lines += lines.len();
            output.covered += covered;
            output.files.push(FileCoverage {
                file: file.clone(),
                lines: lines.len(),
                covered,
            });
            for (span, near) in wanted(file, lines, &input) {
                output.total += 1;
                if output.uncovered.len() < input.limit {
                    output.uncovered.push(stretch(file, span, near));
                }
            }
        }
        if output.total > input.limit {
            let message = format!(
                "only the first {} of {} stretches",
                input.limit, output.total
            );
            host::log(Level::Warn, &message);
        }
        Ok(output)
    }
}

/// Splits the report into files of the repository, by their path there, and all other files.
fn in_repository(hits: Hits, base: &str) -> Result<(Hits, Vec<String>), Failure> {
    #[derive(Deserialize)]
    struct Listing {
        files: Vec<String>,
    }
    let listing: Listing = host::files(&json!({ "hidden": true, "limit": 100_000 }))?;
    let paths = hits.keys().map(String::as_str);
    let places = Places::of(paths, &listing.files, base).map_err(Failure::invalid)?;
    let mut known = Hits::new();
    let mut elsewhere = Vec::new();
    for (path, lines) in hits {
        match places.of_path(&path) {
            Some(file) => {
                let merged = known.entry(file.to_owned()).or_default();
                for (line, count) in lines {
                    let sum: &mut u64 = merged.entry(line).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
            None => elsewhere.push(path),
        }
    }
    elsewhere.truncate(MAX_ELSEWHERE);
    Ok((known, elsewhere))
}

/// Returns the requested ranges of a file, each with the names of nearby anchors.
fn wanted(file: &str, lines: &BTreeMap<u32, u64>, input: &Input) -> Vec<(Span, Vec<String>)> {
    let all = uncovered(lines);
    let Some(near) = &input.near else {
        return all.into_iter().map(|span| (span, Vec::new())).collect();
    };
    let mut wanted = BTreeMap::<Span, Vec<String>>::new();
    for found in near {
        let name = found.id.as_ref().unwrap_or(&found.label);
        for pointer in found.evidence.iter().filter(|pointer| pointer.file == file) {
            let window = Span {
                first: pointer.start_line.saturating_sub(input.around).max(1),
                last: pointer.end_line.saturating_add(input.around),
            };
            for span in all.iter().filter_map(|span| span.within(window, lines)) {
                let names = wanted.entry(span).or_default();
                if !name.is_empty() && !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
    }
    wanted.into_iter().collect()
}

fn stretch(file: &str, span: Span, near: Vec<String>) -> Stretch {
    let Span { first, last } = span;
    let label = match first == last {
        true => format!("{file}:{first} is not run"),
        false => format!("{file}:{first}-{last} are not run"),
    };
    // The report may be older than the file, so these lines may be gone.
    let lines = host::read(file, first, last).ok();
    let evidence = lines
        .map(|lines| lines.evidence)
        .filter(|one| !one.is_null());
    Stretch {
        label,
        kind: "uncovered lines",
        near,
        evidence: evidence.into_iter().collect(),
    }
}

export!(Coverage);
