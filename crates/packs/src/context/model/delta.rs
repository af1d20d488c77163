//! Changes since an earlier state, and current failures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_results::{Failure, TestCount};

use crate::context::{ArtifactRef, PackId, TestNames};

/// Changes since a commit or a pack, and current failures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// The earlier state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// Changed files, most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<DeltaFile>,
    /// Failures, new ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Ids of earlier failures that have been resolved, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<String>,
    /// Number of tests, each counted once. `None` if unknown, for example because several runs
    /// don't name their passed tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// Number of failures that aren't listed. With `moreFailuresAtMost`, it's a lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures: Option<u64>,
    /// Upper bound on the unlisted failures, given if several runs may omit the same ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures_at_most: Option<u64>,
    /// Lower bound on all failures, listed or not, given if the lists of several runs are
    /// incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures_at_least: Option<u64>,
    /// Outcome of each test run, one per results file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunCount>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Earlier state to compare with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// Full id of a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_id: Option<PackId>,
    /// True if the earlier pack doesn't list its uncommitted files. Some reported changes may then
    /// be older, and some changes may be missing.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub unsure: bool,
}

/// Changed file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaFile {
    /// Current path, or the former one if the file was deleted.
    pub path: String,
    /// Kind of change.
    pub status: FileStatus,
    /// Former path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The change as a unified diff without its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Additional note. For example, a file compared with an uncommitted state has no `diff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Number of added lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u32>,
    /// Number of removed lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u32>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Ways in which a file changed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// The file is new.
    Added,
    /// The contents or the mode changed.
    #[default]
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file was moved, perhaps with changes.
    Renamed,
    /// The file has a merge conflict that isn't resolved yet.
    Unmerged,
}

/// Outcome of a test run, as recorded in one pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCount {
    /// Results files the outcome was read from, or the digest of the contents if unknown.
    pub results: Vec<ArtifactRef>,
    /// Number of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// Number of listed failures.
    #[serde(default)]
    pub failures: u64,
    /// Number of failures that aren't listed.
    #[serde(default)]
    pub more_failures: u64,
    /// Names of the tests, if known. They're derived from the files, so they don't count as
    /// contents of the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<TestNames>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
