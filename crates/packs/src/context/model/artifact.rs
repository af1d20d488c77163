//! Artifacts: files that a pack names and does not carry along.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that may be looked at: named, not carried along.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRef {
    /// What it is named by: `file:PATH`, `pack:UUID`, or as its tool does.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What sort of thing it is.
    #[serde(rename = "type")]
    pub kind: ArtifactKind,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// What it says, in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// SHA-256 of it, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Sorts of artifacts.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A difference.
    Diff,
    /// What a program printed.
    Log,
    /// A file.
    File,
    /// A report.
    Report,
    /// Whether something holds.
    Verification,
    /// A context pack.
    ContextPack,
    /// Something else.
    #[default]
    Unknown,
}
