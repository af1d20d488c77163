//! Origins of the parts of a pack.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::LineSpan;

/// Origins of the parts of a pack, and the request that selected them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Full id of the checked-out commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files that differed from `commit`, each with its state: the hash of its text like `hash` of a source, of its
    /// bytes if it is not text, `gone`, or `unread` if it may not be read. All other files were as committed. `None` if
    /// unknown, and in the shown form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<BTreeMap<String, String>>,
    /// Request, as far as it affects the selection.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub request: Map<String, Value>,
    /// Origins, sorted by part. A conflict of merged packs has several: the first one is that of the value used in the
    /// pack. A note on several files has one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Origin>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Origin of one part of a pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// Name of the part: field, slash, and name within the field.
    pub item: String,
    /// Source of the part.
    pub source: Source,
    /// Reasons for the selection, sorted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub why: BTreeSet<String>,
    /// Rank within its kind; higher is more important.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank: u32,
    /// Number of lines omitted from the stored pack, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines_left_out: u32,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Source of a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Kind of source.
    pub kind: SourceKind,
    /// File path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True if the file is outside of the repository: only its file name is recorded. It is read again only on the
    /// machine that read it, if it still exists there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// Lines of the excerpt, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<SourceSpan>,
    /// Full id of the commit it was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// `sha256:` and the hash of the whole text, with secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Lines of a file in an excerpt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceSpan {
    /// Lines.
    #[serde(flatten)]
    pub lines: LineSpan,
    /// `sha256:` and the hash of these lines, secret values replaced.
    pub source_hash: String,
    /// Rank of these lines within the file; higher is more important.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank: u32,
}

/// Sorts of sources.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The request contains it.
    #[default]
    Given,
    /// A file of the repository.
    File,
    /// The difference between a commit and a file of the working tree.
    Diff,
    /// Output of tests or a compiler, in a file.
    Results,
    /// Git.
    Git,
    /// Names of files.
    Listing,
    /// Another pack.
    Pack,
    /// Record of the repository's memory. Documents take precedence.
    Memory,
}
