//! Artifacts: files that a pack refers to instead of containing them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Reference to something that may be inspected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRef {
    /// Reference: `file:PATH`, `pack:UUID`, or in the form of its tool.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Kind of artifact.
    #[serde(rename = "type")]
    pub kind: ArtifactKind,
    /// Media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// SHA-256 of its contents, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Kinds of artifacts.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A diff.
    Diff,
    /// Output of a program.
    Log,
    /// File.
    File,
    /// A report.
    Report,
    /// Result of a verification.
    Verification,
    /// Context pack.
    ContextPack,
    /// Something else.
    #[default]
    Unknown,
}
