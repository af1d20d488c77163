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
    /// Earlier state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// Changed files, the most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<DeltaFile>,
    /// Failures, new ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Ids of earlier failures that pass now, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<String>,
    /// Number of tests, each counted once; `None` if unknown, as when several runs do not name their passed tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// Number of failures that are not listed; a lower bound if `moreFailuresAtMost` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures: Option<u64>,
    /// Upper bound of the failures that are not listed, if several runs may omit the same ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_failures_at_most: Option<u64>,
    /// Lower bound of all failures, listed or not, if the lists of several runs are incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures_at_least: Option<u64>,
    /// Outcome of each run of tests: one per results file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunCount>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Earlier state that something is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// Full id of a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_id: Option<PackId>,
    /// True if the earlier pack does not list its uncommitted files: some reported changes may be older, and some
    /// changes may be missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsure: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Changed file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaFile {
    /// Current path, or the former one of a deleted file.
    pub path: String,
    /// Kind of change.
    pub status: FileStatus,
    /// Former path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Changes as a unified diff without its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Additional note: a file compared with an uncommitted state has no `diff`.
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

/// Kind of change of a file.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// The file is new.
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

/// Outcome of a run of tests, as recorded in one pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCount {
    /// Results files it was read from; if unknown, the digest of the contents.
    pub results: Vec<ArtifactRef>,
    /// Number of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCount>,
    /// Number of listed failures.
    #[serde(default)]
    pub failures: u64,
    /// Number of failures that are not listed.
    #[serde(default)]
    pub more_failures: u64,
    /// Names of the tests, if known. Derived from the files, and not part of the contents of the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<TestNames>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
