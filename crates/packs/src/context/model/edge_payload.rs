//! Payloads passed from one node to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{ArtifactRef, PackId};

/// Payload of an edge. It's small, and refers to anything large.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgePayload {
    /// Payload id, a UUID.
    pub payload_id: PackId,
    /// Kind of payload.
    pub kind: PayloadKind,
    /// Sending node.
    pub from_node_id: String,
    /// Edge over which the payload passes.
    pub edge_id: String,
    /// Creation time in RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// Outcome of the work.
    pub status: PayloadStatus,
    /// Message for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<PayloadMessage>,
    /// Data for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub structured: Map<String, Value>,
    /// Artifacts worth inspecting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// Context pack that goes with the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_pack_ref: Option<ArtifactRef>,
    /// Origin.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub provenance: Map<String, Value>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Kinds of payloads.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PayloadKind {
    /// Text for people.
    Message,
    /// Data for programs.
    Structured,
    /// A diff.
    Diff,
    /// Result of a verification.
    Verification,
    /// Report.
    Report,
    /// Several payloads joined into one.
    Join,
    /// Passage of time.
    Tick,
    /// Reference to an artifact.
    ArtifactRef,
    /// Something else.
    Unknown,
}

/// Outcome of work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadStatus {
    /// True if the work succeeded.
    pub ok: bool,
    /// Error code, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Error description, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Message for people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadMessage {
    /// Text.
    pub content: String,
    /// Format of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TextFormat>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Format of a text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
}
