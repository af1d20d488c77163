//! The `files` step lists files.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, RepoPath, counted};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec};

use super::built_in::BuiltIn;
use super::file_scope::{Scope, check_scope, scope_in_words, withheld_note};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Lists files that match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Folders and files to search; empty means the whole repository.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`: `*.rs`, `!target/**`.
    #[serde(default)]
    globs: Vec<String>,
    /// Include hidden files and folders, such as `.github`.
    #[serde(default)]
    hidden: bool,
    /// Maximum number of files listed.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: u32,
}

fn default_limit() -> u32 {
    10_000
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Files, sorted by path.
    files: Vec<RepoPath>,
    /// Number of files without the limit.
    total: u32,
    /// True if the limit omitted some.
    truncated: bool,
}

pub(crate) const NAME: &str = "files";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "list files that match paths and globs";
    kind::<Input, Output>(NAME, summary, Some("files"), READS_FILES)
        .checked_by(check_scope)
        .explained_by(explain)
});

fn explain(input: &InputWords) -> Vec<String> {
    vec![format!("lists {}", scope_in_words(input))]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, run)
}

fn run(services: &Services, input: Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let query = Scope {
        paths: input.paths,
        globs: input.globs,
        hidden: input.hidden,
    }
    .query(Some(input.limit));
    let listing = services
        .snapshot
        .list(&query, cancel)
        .map_err(|error| StepError::failed(error.to_string()))?;
    let truncated = listing.truncated();
    let output = Output {
        files: listing.files,
        total: listing.total,
        truncated,
    };
    let mut output = StepOutput::of(&output)?;
    output.caveat = truncated.then(|| {
        format!(
            "only the first of {}; raise `limit`",
            counted(listing.total, "file")
        )
        .into()
    });
    // Only these may hide files. The other reasons are about contents, and such files are listed.
    if listing.withheld.not_utf8 + listing.withheld.unreadable > 0 {
        output.caveat = withheld_note(listing.withheld).map(|note| Caveat {
            // If the listing is empty, one of the skipped files may still match.
            unproven: listing.total == 0,
            ..note.into()
        });
    }
    output.notes.extend(withheld_note(listing.withheld));
    Ok(output)
}
