//! The `git` step queries git for the checkout, commits, changes or working trees.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{Cancel, RepoPath, short_id};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::{
    ChangeStatus, Commit, GitAnswer, GitError, GitQuery, Revisions, Snapshot, Withheld,
};

use super::built_in::BuiltIn;
use super::file_scope::{notes_without_files, withheld_note};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Queries git.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Query.
    show: Show,
    /// Base revision of `log` and `changes`: commits after it, or changes since it. `HEAD` by default for
    /// `changes`.
    #[serde(default)]
    since: Option<String>,
    /// Limits `log` and `changes` to these folders and files.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Maximum number of entries returned.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

/// Query to git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Show {
    /// Checked-out branch and commit.
    Head,
    /// Newest commits.
    Log,
    /// Differences from a revision: committed, uncommitted, and new files.
    Changes,
    /// Working trees of the repository.
    Worktrees,
}

fn default_limit() -> u32 {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Entry for the checkout, each commit, each changed file, or each working tree.
    entries: Vec<Value>,
    /// Changed files that still exist, with `changes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<RepoPath>>,
    /// Number of entries without the limit; for `log` at most the limit.
    total: usize,
    /// True if the limit omitted some.
    truncated: bool,
}

pub(crate) const NAME: &str = "git";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "query git for the checkout, commits, changes or working trees";
    kind::<Input, Output>(NAME, summary, Some("entries"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse_items::<RepoPath>("/paths");
    if let Some(Some(since)) = input.parse::<Option<String>>("/since")
        && let Err(error) = Revisions::check_revision(&since)
    {
        input.refuse("/since", error.to_string());
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let paths = input.phrase(" that touch ", "paths");
    let asked = match input.value("show").and_then(Value::as_str) {
        Some("head") => "what is checked out".to_owned(),
        Some("log") => format!(
            "the newest commits{}{paths}",
            input.phrase(" after ", "since")
        ),
        Some("changes") => {
            let since = input.field("since").unwrap_or_else(|| "`HEAD`".to_owned());
            let within = input.phrase(" in ", "paths");
            format!("what changed since {since}{within}, committed or not")
        }
        Some("worktrees") => "the working trees of the repository".to_owned(),
        _ => input.phrase("", "show"),
    };
    vec![format!("asks git for {asked}")]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        ask(&services.snapshot, &input, cancel)
    })
}

fn ask(snapshot: &Snapshot, input: &Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let answer = snapshot
        .ask_git(&query(input), cancel)
        .map_err(|error| match error {
            GitError::NotARepository => StepError::failed(error.to_string()).help(
                "with `on_failure: continue`, the rest of the runbook runs even if the step fails",
            ),
            error => StepError::failed(error.to_string()),
        })?;
    let mut files = None;
    let mut not_utf8 = 0;
    let mut entries = match &*answer {
        GitAnswer::Head(head) => {
            let commit = head.commit.as_deref().map(short_id);
            vec![json!({ "branch": head.branch, "commit": commit, "detached": head.detached })]
        }
        GitAnswer::Log(commits) => commits.iter().map(commit).collect(),
        GitAnswer::Changes(changes) => {
            let within = |path: &RepoPath| {
                input.paths.is_empty() || input.paths.iter().any(|folder| path.is_under(folder))
            };
            let changed: Vec<_> = changes
                .files
                .iter()
                .filter(|change| within(&change.path))
                .collect();
            not_utf8 = changes.not_utf8;
            files = Some(
                changed
                    .iter()
                    .filter(|change| change.status != ChangeStatus::Deleted)
                    .map(|change| change.path.clone())
                    .collect(),
            );
            entries(&changed)?
        }
        GitAnswer::Worktrees(trees) => entries(trees)?,
    };
    let total = entries.len();
    entries.truncate(input.limit as usize);
    let truncated = entries.len() < total;
    // We've asked for one commit more than the limit. If we got it, there are more commits, but we
    // don't know how many.
    let total = if input.show == Show::Log {
        entries.len()
    } else {
        total
    };
    let mut output = StepOutput::of(&Output {
        entries,
        files,
        total,
        truncated,
    })?;
    if total == 0 {
        output.notes = notes_without_files(&input.paths, snapshot, cancel);
    }
    if not_utf8 > 0 {
        let left_out = Withheld {
            not_utf8,
            ..Withheld::default()
        };
        let caveat = withheld_note(left_out).unwrap_or_default();
        return Ok(output.caveat(Caveat {
            // If the result is empty, one of the skipped files may still have changed.
            unproven: total == 0,
            ..caveat.into()
        }));
    }
    Ok(match (truncated, input.show) {
        // Nearly every log is longer than its limit, so that's not worth a warning.
        (true, Show::Changes | Show::Worktrees) => {
            output.caveat(format!("only the first of {total}; raise `limit`"))
        }
        _ => output,
    })
}

fn query(input: &Input) -> GitQuery {
    match input.show {
        Show::Head => GitQuery::Head,
        Show::Log => GitQuery::Log {
            range: input.since.as_ref().map(|since| format!("{since}..HEAD")),
            paths: input.paths.clone(),
            // With one more than the limit, we find out if the log goes on.
            limit: input.limit.saturating_add(1),
        },
        Show::Changes => GitQuery::Changes {
            since: input.since.clone().unwrap_or_else(|| "HEAD".to_owned()),
        },
        Show::Worktrees => GitQuery::Worktrees,
    }
}

fn commit(commit: &Commit) -> Value {
    let date =
        jiff::Timestamp::from_second(commit.time).map(|time| time.strftime("%F").to_string());
    json!({
        "commit": short_id(&commit.id),
        "date": date.unwrap_or_default(),
        "subject": commit.subject,
        "author": commit.author,
    })
}

fn entries<T: Serialize>(list: &[T]) -> Result<Vec<Value>, StepError> {
    list.iter().map(entry).collect()
}

fn entry<T: Serialize>(value: &T) -> Result<Value, StepError> {
    serde_json::to_value(value).map_err(|error| StepError::failed(error.to_string()))
}
