//! What passes from one node to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{ArtifactRef, PackId};

/// What passes over an edge: small, with references to all that is large.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgePayload {
    /// Its name: a UUID.
    pub payload_id: PackId,
    /// What sort of thing it is.
    pub kind: PayloadKind,
    /// Who sends it.
    pub from_node_id: String,
    /// Which way it goes.
    pub edge_id: String,
    /// When it was made: RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// How the work went.
    pub status: PayloadStatus,
    /// What is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<PayloadMessage>,
    /// What is told to programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub structured: Map<String, Value>,
    /// What may be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// The context pack that goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_pack_ref: Option<ArtifactRef>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub provenance: Map<String, Value>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Sorts of payloads.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PayloadKind {
    /// Words.
    Message,
    /// Data.
    Structured,
    /// A difference.
    Diff,
    /// Whether something holds.
    Verification,
    /// A report.
    Report,
    /// Several payloads that were joined.
    Join,
    /// That time has passed.
    Tick,
    /// A reference to something.
    ArtifactRef,
    /// Something else.
    Unknown,
}

/// How work went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadStatus {
    /// Whether it went well.
    pub ok: bool,
    /// What went wrong, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What went wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What is said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadMessage {
    /// The text.
    pub content: String,
    /// How it is to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TextFormat>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How a text is to be read.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// As it is.
    Text,
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
}
