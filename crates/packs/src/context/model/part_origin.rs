//! Records where the parts of a pack come from.
//!
//! With these origins, a pack can be built again later, and each line of an excerpt can be checked
//! against its file.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::LineSpan;

/// Origins of the pack's parts, and the request that selected them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Full id of the checked-out commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files that differed from `commit`, each with its state. The state is the hash of the text,
    /// or of the bytes if the file isn't text, or `gone` if it was deleted. For files that may not
    /// be read, it's `unread`. All other files were as committed. `None` if unknown, and in the
    /// shown form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<BTreeMap<String, String>>,
    /// The request, as far as it affects the selection.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub request: Map<String, Value>,
    /// Origins, sorted by part. A part with conflicting values has several, starting with that of
    /// the value in use. A note on several files has one for each.
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
    /// The part's name: field, slash, and name within the field.
    pub item: String,
    /// Source of the part.
    pub source: Source,
    /// Reasons for selecting the part, sorted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub why: BTreeSet<String>,
    /// Rank among parts of the same kind, where higher is more important.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub rank: u32,
    /// Number of lines omitted from the stored pack because the text is too long.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub lines_left_out: u32,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
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
    /// True if the file is outside the repository, in which case only its file name is recorded.
    /// Only the machine that read it can read it again, as long as it's still there.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub outside: bool,
    /// Lines of the excerpt, in file order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<SourceSpan>,
    /// Full id of the commit that the file was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// `sha256:` and the hash of the whole text, with secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Lines of a file that are part of an excerpt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceSpan {
    /// Lines.
    #[serde(flatten)]
    pub lines: LineSpan,
    /// `sha256:` and the hash of these lines, with secret values replaced.
    pub source_hash: String,
    /// Rank of these lines within the file, where higher is more important.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub rank: u32,
}

/// Kinds of sources.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The request itself.
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
    /// The names of files.
    Listing,
    /// Another pack.
    Pack,
    /// A record of the repository's memory. Documents take precedence over it.
    Memory,
}
