//! Evaluates acceptance criteria, and combines the results into a verdict.
//!
//! A criterion holds, fails, or is left undecided. Prose is always undecided, since only a person
//! can judge it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, LineSpan, Pointer, RepoPath, counted};
use windlass_engine::{ErrorKind, Stop};
use windlass_formula::AcceptanceCriterion;
use windlass_ledger::event::VerifyOutcome;
use windlass_ledger::{Molecule, exists};
use windlass_plan::Scope;
use windlass_repo::{ListQuery, SearchQuery, Snapshot};
use windlass_site::Site;

use crate::machine::{Machine, criterion_step, partial_output};

/// Result of evaluating a criterion.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CriterionReport {
    /// The criterion.
    pub criterion: AcceptanceCriterion,
    /// True if the criterion holds; `None` if no program can decide it.
    pub passed: Option<bool>,
    /// Explanation of the result.
    pub found: String,
    /// Output of the criterion's program, such as its exit code and `stdout`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Locations of the matching lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Pointer>,
    /// True if the criterion's program wasn't allowed to start.
    #[serde(skip)]
    pub(crate) refused: bool,
}

impl CriterionReport {
    fn of(criterion: &AcceptanceCriterion, passed: Option<bool>, found: String) -> Self {
        Self {
            criterion: criterion.clone(),
            passed,
            found,
            output: Value::Null,
            pointers: Vec::new(),
            refused: false,
        }
    }
}

/// Combines the results of all criteria. One failure fails the verdict. Undecided criteria, or none
/// at all, need a person's decision.
#[must_use]
pub(crate) fn verdict(reports: &[CriterionReport]) -> VerifyOutcome {
    if reports.iter().any(|report| report.passed == Some(false)) {
        VerifyOutcome::Fail
    } else if reports.is_empty() || reports.iter().any(|report| report.passed.is_none()) {
        VerifyOutcome::NeedsHuman
    } else {
        VerifyOutcome::Pass
    }
}

/// Evaluates the acceptance criteria of one step or bead.
pub(crate) struct CriteriaChecker<'a> {
    pub(crate) site: &'a Site,
    /// Starts the criteria's programs. Their runbook steps are named after `name`.
    pub(crate) machine: &'a Machine,
    /// The ID of the step or bead.
    pub(crate) name: &'a str,
    /// Advice on allowing untrusted programs, for messages.
    pub(crate) trust: String,
}

impl<'a> CriteriaChecker<'a> {
    pub(crate) fn for_step(
        site: &'a Site,
        machine: &'a Machine,
        molecule: &Molecule,
        name: &'a str,
    ) -> Self {
        let id = &molecule.id;
        Self {
            site,
            machine,
            name,
            trust: format!("`windlass trust mol:{id}`, or `--allow-commands`"),
        }
    }

    /// `output` is the step's output, for `schema` criteria.
    pub(crate) async fn judge(
        &self,
        criteria: &[AcceptanceCriterion],
        scope: &dyn Scope,
        output: &Value,
        stop: &Stop,
    ) -> Vec<CriterionReport> {
        let mut reports = Vec::new();
        for (at, criterion) in criteria.iter().enumerate() {
            reports.push(match criterion {
                AcceptanceCriterion::Prose(_) => {
                    let found = "a person must judge it".to_owned();
                    CriterionReport::of(criterion, None, found)
                }
                AcceptanceCriterion::File(path) => {
                    let repo = self.site.repo();
                    // A path that leads out of the repository counts as missing.
                    let is_there = RepoPath::parse(path).is_ok_and(|path| exists(repo, &path));
                    let found = if is_there { "exists" } else { "does not exist" };
                    CriterionReport::of(criterion, Some(is_there), format!("`{path}` {found}"))
                }
                AcceptanceCriterion::Grep { pattern, paths } => {
                    grep(self.site, criterion, pattern, paths)
                }
                AcceptanceCriterion::Schema(schema) => check_schema(criterion, schema, output),
                AcceptanceCriterion::Command(_) => self.program(criterion, at, scope, stop).await,
            });
        }
        reports
    }

    async fn program(
        &self,
        criterion: &AcceptanceCriterion,
        at: usize,
        scope: &dyn Scope,
        stop: &Stop,
    ) -> CriterionReport {
        let name = criterion_step(self.name, at);
        match self.machine.start(scope, &name, None, stop.clone()).await {
            Ok(output) => CriterionReport {
                output,
                ..CriterionReport::of(criterion, Some(true), "its program ended with 0".to_owned())
            },
            // A program not allowed to start proves nothing, so the criterion is undecided rather
            // than failed.
            Err(error) if error.kind == ErrorKind::Refused => {
                let found = format!("{error}; {}", self.trust);
                CriterionReport {
                    refused: true,
                    ..CriterionReport::of(criterion, None, found)
                }
            }
            Err(error) => CriterionReport {
                output: partial_output(&error),
                ..CriterionReport::of(criterion, Some(false), error.to_string())
            },
        }
    }
}

fn grep(
    site: &Site,
    criterion: &AcceptanceCriterion,
    pattern: &str,
    paths: &[String],
) -> CriterionReport {
    // An invalid path or pattern fails its own criterion. The others are still evaluated.
    let wrong = |why: String| CriterionReport::of(criterion, Some(false), why);
    let paths: Result<Vec<RepoPath>, _> = paths.iter().map(|path| RepoPath::parse(path)).collect();
    let paths = match paths {
        Ok(paths) => paths,
        Err(error) => return wrong(error.to_string()),
    };
    let query = SearchQuery {
        pattern: pattern.to_owned(),
        scope: ListQuery {
            paths,
            ..ListQuery::default()
        },
        max_matches: 20,
        ..SearchQuery::default()
    };
    let snapshot = site.snapshot();
    match snapshot.search(&query, &Cancel::default()) {
        Err(error) => wrong(error.to_string()),
        Ok(result) => {
            let matches = usize::try_from(result.total_matches).unwrap_or(usize::MAX);
            let found = match matches {
                0 => "no line matches".to_owned(),
                1 => "1 line matches".to_owned(),
                _ => format!("{} match", counted(matches, "line")),
            };
            let lines = result.files.iter().flat_map(|file| {
                let lines = file.lines.iter();
                lines.map(|line| (&file.path, line.line))
            });
            CriterionReport {
                pointers: lines
                    .take(MAX_POINTERS)
                    .filter_map(|(path, line)| pointer(&snapshot, path, line))
                    .collect(),
                ..CriterionReport::of(criterion, Some(matches > 0), found)
            }
        }
    }
}

/// Maximum number of matching lines in a report.
const MAX_POINTERS: usize = 20;

fn pointer(snapshot: &Snapshot, path: &RepoPath, line: u32) -> Option<Pointer> {
    let span = LineSpan::new(line, line).ok()?;
    Some(snapshot.read(path).ok()?.pointer(path, span))
}

fn check_schema(
    criterion: &AcceptanceCriterion,
    schema: &Value,
    output: &Value,
) -> CriterionReport {
    let report = |passed, found: String| CriterionReport::of(criterion, Some(passed), found);
    match jsonschema::validator_for(schema) {
        Err(error) => report(false, format!("its schema is invalid: {error}")),
        Ok(validator) => {
            let wrong: Vec<String> = validator
                .iter_errors(output)
                .take(5)
                .map(|error| format!("at `{}`: {error}", error.instance_path()))
                .collect();
            match wrong.is_empty() {
                true => report(true, "the output matches its schema".to_owned()),
                false => report(
                    false,
                    format!("the output does not match its schema: {}", wrong.join("; ")),
                ),
            }
        }
    }
}
