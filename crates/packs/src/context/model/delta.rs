//! What changed since last time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_results::{Failure, TestCount};

use crate::context::{ArtifactRef, PackId, TestNames};

/// What changed since a commit or a pack, and what fails now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// The files that differ, those that matter most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<DeltaFile>,
    /// What fails: new failures first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// What failed then and passed now, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<String>,
    /// How many tests there were, each once; nothing where that is not known, as where several runs do not name those that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// How many failures are not named; at least, where `moreFailuresAtMost` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures: Option<u64>,
    /// How many failures are not named at most, where several runs may leave out the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures_at_most: Option<u64>,
    /// How many failures there are at least, named or not, where lists of several runs end before all are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures_at_least: Option<u64>,
    /// What was said of each run of tests, that is by each file of results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunCount>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What something is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// The full id of a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_id: Option<PackId>,
    /// Whether the pack does not say which files were not committed when it was made: some of what is told to have changed may have been so
    /// then, and some of what changed may not be told.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsure: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A file that differs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaFile {
    /// Where it is, or was if it was deleted.
    pub path: String,
    /// In what way it differs.
    pub status: FileStatus,
    /// Where it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What differs, as a unified diff without its head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What there is to know of it beside: where it is compared with what was never committed, there is no `diff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Lines that were added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u32>,
    /// Lines that were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u32>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// In what way a file differs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It is new.
    Added,
    /// Its contents or mode.
    #[default]
    Modified,
    /// It is gone.
    Deleted,
    /// It was moved, perhaps with changes.
    Renamed,
    /// Two sides of a merge are not joined yet.
    Unmerged,
}

/// What was said of a run of tests, as one pack had it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCount {
    /// The files it was read from; where none is known, the digest of what was said.
    pub results: Vec<ArtifactRef>,
    /// How many tests there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// How many failures the pack named.
    #[serde(default)]
    pub failures: u64,
    /// How many it did not.
    #[serde(default)]
    pub more_failures: u64,
    /// Which tests these were; nothing where that is not known. It follows from the files, and is no part of what makes the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<TestNames>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
