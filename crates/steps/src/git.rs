use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::RepoPath;
use windlass_engine::{Call, Step, StepError, StepFuture, StepOutput};
use windlass_plan::KindSpec;
use windlass_repo::{ChangeStatus, Commit, Git, GitError, Snapshot};

use crate::Services;
use crate::spec::{READS_FILES, kind};

/// Asks git about the repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to ask.
    show: Show,
    /// With `log` and `changes`: a revision to start from; commits after it, changes since it. `HEAD` for
    /// `changes` if not said.
    #[serde(default)]
    since: Option<String>,
    /// With `log` and `changes`: only what touches these folders and files.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// How many entries to give back.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

/// What to ask git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Show {
    /// What is checked out.
    Head,
    /// The newest commits.
    Log,
    /// What differs from a revision: committed since, not committed, and new.
    Changes,
    /// The working trees of the repository.
    Worktrees,
}

fn default_limit() -> u32 {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// One for what is checked out, each commit, each changed file, each working tree.
    entries: Vec<Value>,
    /// With `changes`: the files that differ and are still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<RepoPath>>,
    /// How many entries there are without the limit; for `log` never more than the limit.
    total: usize,
    /// Whether the limit left some out.
    truncated: bool,
}

pub(crate) const NAME: &str = "git";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "ask git for what is checked out, commits, changes or working trees";
    kind::<Input, Output>(NAME, summary, Some("entries"), READS_FILES)
});

pub(crate) struct GitStep {
    snapshot: Snapshot,
}

impl GitStep {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            snapshot: services.snapshot.clone(),
        }
    }
}

impl Step for GitStep {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            let git = self.snapshot.repo().git().ok_or_else(|| {
                StepError::failed("this folder is not in a git repository").help(
                    "give the step `on_failure: continue` if the runbook is useful without git",
                )
            })?;
            let git = git.with_cancel(call.stop.flag().clone());
            call.blocking(move || ask(&git, &input)).await
        })
    }
}

fn ask(git: &Git, input: &Input) -> Result<StepOutput, StepError> {
    let failed = |error: GitError| StepError::failed(error.to_string());
    let mut files = None;
    let mut entries = match input.show {
        Show::Head => {
            let head = git.head().map_err(failed)?;
            let commit = head.commit.as_deref().map(short);
            vec![json!({ "branch": head.branch, "commit": commit, "detached": head.detached })]
        }
        Show::Log => {
            let range = input.since.as_ref().map(|since| format!("{since}..HEAD"));
            let asked = input.limit.saturating_add(1);
            let commits = git
                .log(range.as_deref(), &input.paths, asked)
                .map_err(failed)?;
            commits.iter().map(commit).collect()
        }
        Show::Changes => {
            let changes = git
                .changes_since(input.since.as_deref().unwrap_or("HEAD"))
                .map_err(failed)?;
            let within = |path: &RepoPath| {
                input.paths.is_empty() || input.paths.iter().any(|folder| path.is_under(folder))
            };
            let changed: Vec<_> = changes
                .files
                .into_iter()
                .filter(|change| within(&change.path))
                .collect();
            files = Some(
                changed
                    .iter()
                    .filter(|change| change.status != ChangeStatus::Deleted)
                    .map(|change| change.path.clone())
                    .collect(),
            );
            entries(&changed)?
        }
        Show::Worktrees => entries(&git.worktrees().map_err(failed)?)?,
    };
    let total = entries.len();
    entries.truncate(input.limit as usize);
    let truncated = entries.len() < total;
    // One commit more than asked for was looked up, only to know whether there are more.
    let total = if input.show == Show::Log {
        entries.len()
    } else {
        total
    };
    let output = StepOutput::of(&Output {
        entries,
        files,
        total,
        truncated,
    })?;
    Ok(match (truncated, input.show) {
        // A log has no end that anybody waits for.
        (true, Show::Changes | Show::Worktrees) => {
            output.caveat(format!("only the first of {total}; raise `limit`"))
        }
        _ => output,
    })
}

/// A commit as a person reads it.
fn commit(commit: &Commit) -> Value {
    let date =
        jiff::Timestamp::from_second(commit.time).map(|time| time.strftime("%F").to_string());
    json!({
        "commit": short(&commit.id),
        "date": date.unwrap_or_default(),
        "author": commit.author,
        "subject": commit.subject,
    })
}

/// Enough of an id to find the commit again in any repository.
fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn entries<T: Serialize>(list: &[T]) -> Result<Vec<Value>, StepError> {
    list.iter().map(entry).collect()
}

fn entry<T: Serialize>(value: &T) -> Result<Value, StepError> {
    serde_json::to_value(value).map_err(|error| StepError::failed(error.to_string()))
}
