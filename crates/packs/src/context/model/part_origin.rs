//! Where the parts of a pack come from.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::LineSpan;

/// Where the parts of a pack come from, and what they were chosen by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// The full id of the commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files that were not as `commit` has them, each with what it was: the hash of its text as in `hash` of a source, that of its bytes
    /// where it is no text, `gone`, or `unread` where nobody may read it. All others were as the commit has them. Nothing where that is
    /// not known, and in what is shown of a pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<BTreeMap<String, String>>,
    /// What was asked for, as far as it decides what is chosen.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub request: Map<String, Value>,
    /// One for each part, sorted by part. Of a part that packs which were merged say differently there are several: the first is that
    /// of what stands in the pack. Of a note on several files there is one for each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Origin>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Where one part of a pack comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The part: the field it stands in, a slash, and its name there.
    pub item: String,
    /// Where it comes from.
    pub source: Source,
    /// Why it was chosen, sorted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub why: BTreeSet<String>,
    /// How much it matters among those of its sort: more is better.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank: u32,
    /// Lines that were left out when it was taken in, since they are too many to be carried along.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines_left_out: u32,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Where something comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// What sort of thing it comes from.
    pub kind: SourceKind,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the file lies outside of the repository: of its path there is its name alone. It is read again only on the machine that
    /// read it, where it is there still.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// The lines that stand in the excerpt, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<SourceSpan>,
    /// What it was compared with: the full id of a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// `sha256:` and the hash of all of the text, secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Lines of a file that stand in an excerpt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceSpan {
    /// The lines.
    #[serde(flatten)]
    pub lines: LineSpan,
    /// `sha256:` and the hash of these lines, secret values replaced.
    pub source_hash: String,
    /// How much these lines matter among those of the file: more is better.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank: u32,
}

/// Sorts of sources.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// It was given by who asked for the pack.
    #[default]
    Given,
    /// A file of the repository.
    File,
    /// The difference between a commit and a file of the working tree.
    Diff,
    /// What a test or compiler said, as it stands in a file.
    Results,
    /// What git says.
    Git,
    /// What follows from the names of files.
    Listing,
    /// Another pack.
    Pack,
    /// A record of the repository's memory. What documents say comes before it.
    Memory,
}
