//! Lines that no test runs, by what lcov and Cobertura report.

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

/// Finds lines that no test runs, by the report of a coverage tool: lcov or Cobertura XML.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A file with the report.
    #[serde(default)]
    file: Option<String>,
    /// The report itself, as text: what a `command` step printed.
    #[serde(default)]
    text: Option<String>,
    /// The folder that relative paths in the report start from; the root if not said. Or the folder of the machine that
    /// the repository lay in, where absolute paths do not tell.
    #[serde(default)]
    base: Option<String>,
    /// Anchors, or what else other steps found: only lines near their evidence are given back. Without, all are.
    #[serde(default)]
    near: Option<Vec<Near>>,
    /// How many lines before and after the evidence are near.
    #[serde(default = "around")]
    around: u32,
    /// How many stretches of lines to give back.
    #[serde(default = "limit")]
    limit: usize,
}

fn around() -> u32 {
    3
}

fn limit() -> usize {
    200
}

/// Something that was found.
#[derive(Debug, Deserialize, JsonSchema)]
struct Near {
    /// The anchor's name.
    #[serde(default)]
    id: Option<String>,
    /// What a person calls it.
    #[serde(default)]
    label: String,
    /// Where it stands.
    #[serde(default)]
    evidence: Vec<Pointer>,
}

/// Lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
struct Pointer {
    /// The file.
    file: String,
    /// The first line, from 1.
    start_line: u32,
    /// The last line.
    end_line: u32,
}

/// What is not covered.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Lines that can be run and are not, by file and line.
    uncovered: Vec<Stretch>,
    /// How many stretches there are without the limit.
    total: usize,
    /// The files of the repository that the report speaks of, sorted.
    files: Vec<FileCoverage>,
    /// Files of the report that the repository does not have, sorted; at most 50.
    elsewhere: Vec<String>,
    /// Lines of the repository that can be run.
    lines: usize,
    /// Those of them that are run.
    covered: usize,
    /// Which sort of report it is: `lcov` or `cobertura`.
    format: &'static str,
}

/// Lines that stand together and are not run.
#[derive(Debug, Serialize, JsonSchema)]
struct Stretch {
    /// Where, and how many lines.
    label: String,
    /// What sort of thing this is.
    kind: &'static str,
    /// What it is near to: names of anchors, or else labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// The lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// How much of a file is run.
#[derive(Debug, Serialize, JsonSchema)]
struct FileCoverage {
    /// The file.
    file: String,
    /// Lines that can be run.
    lines: usize,
    /// Those of them that are run.
    covered: usize,
}

/// For each file as the report names it: for each line that can be run, how often it was.
type Hits = BTreeMap<String, BTreeMap<u32, u64>>;

/// The most files told that the repository does not have.
const MAX_ELSEWHERE: usize = 50;

/// Reads a report of any sort.
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

/// What the report says of files that the repository has, by their paths there; and the other files.
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

/// The stretches of a file that are asked for, each with what it is near to.
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
    // A report may be older than the file.
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
