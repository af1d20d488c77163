//! The context pack itself.
//!
//! The doc comments of these types are also the descriptions in `schemas/context-pack.schema.json`,
//! so they're written for readers of the schema. Fields keep the names that other tools know, and
//! each type has a `rest` for the fields that only other tools know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{
    ArtifactRef, BudgetReport, Conflict, Delta, PackId, Provenance, RedactionReport,
    TruncationReport,
};

/// Version of the pack format.
///
/// Raise this if older versions would misread a new pack. A new optional field is fine without it,
/// since they keep unknown fields in `rest`.
pub const SCHEMA_VERSION: u32 = 1;

/// The minimum knowledge needed for a piece of work.
///
/// Every pack has contents. The fields `budget`, `truncation` and `nextActions` exist only once it
/// has been cut for display.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPack {
    /// Version of the format. Packs of other tools have none.
    #[serde(
        default,
        rename = "schema_version",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: Option<u32>,
    /// The pack's id, derived from the digest of its contents without `createdAt`.
    pub pack_id: PackId,
    /// Run id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Node id within the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Creation time in RFC 3339. It doesn't count as contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub created_at: Option<String>,
    /// The goal, in one to three sentences.
    pub goal: String,
    /// Conditions that must hold for the goal to be reached.
    pub definition_of_done: Vec<String>,
    /// Mode of the work: planning or implementation.
    pub global_mode: GlobalMode,
    /// Interaction with people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_mode: Option<NodeMode>,
    /// Folder of the contract documents.
    pub docs_root: String,
    /// Contract documents, most important first.
    pub doc_refs: Vec<DocRef>,
    /// Languages and tools used by the repository.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub repo_facts: Map<String, Value>,
    /// Location of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PackWorkspace>,
    /// Relevant files, most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relevant_files: Vec<RelevantFile>,
    /// Inputs from preceding nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PayloadRef>,
    /// Logs, diffs and reports worth inspecting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// Decisions made so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// Constraints to respect.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub constraints: Map<String, Value>,
    /// Tools that may be used, and the conditions for using them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub tool_policy: Map<String, Value>,
    /// Schema or contract of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_ref: Option<String>,
    /// Changes and failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Origin of every part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Report about replaced secret values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<RedactionReport>,
    /// Notes about the sources, one sentence each, sorted. They report files that were too large to
    /// search, and named files that are empty or not text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_notes: Vec<String>,
    /// Contradictory values of merged packs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Ids of the merged packs, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<PackId>,
    /// Size of the shown part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetReport>,
    /// Parts that aren't shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TruncationReport>,
    /// Next actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<windlass_base::NextAction>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Modes of work.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GlobalMode {
    /// The work is being planned.
    Planning,
    /// The work is being done.
    #[default]
    Implementation,
}

/// Interaction with people.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NodeMode {
    /// No questions can be asked.
    Auto,
    /// Questions can be asked.
    Interactive,
}

/// Importance of a document.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Background information.
    Low,
    /// Normal importance.
    #[default]
    Medium,
    /// Part of the contract.
    High,
}

/// Reference to sections of a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocRef {
    /// Path of the document.
    pub path: String,
    /// The sections' headings, in the form used by links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// The sections' text, with a line of `…` in place of omitted lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// Importance.
    #[serde(default)]
    pub priority: Priority,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Relevant file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RelevantFile {
    /// Path.
    pub path: String,
    /// The file's purpose, or the reason why it's relevant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Relevant lines, with a line of `…` in place of omitted lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// `sha256:` and the hash of all lines in the file, with secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An input received over an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayloadRef {
    /// Payload id.
    pub payload_id: PackId,
    /// Sending node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_node_id: Option<String>,
    /// Edge over which the input came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_id: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Name.
    pub id: String,
    /// Text of the decision.
    pub summary: String,
    /// Rationale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Links to details.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Location of the work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackWorkspace {
    /// Sharing with other agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkspaceMode>,
    /// Root of the repository. Windlass leaves it out, since it differs between machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_path: Option<String>,
    /// The working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Ways to share a working tree.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceMode {
    /// Others work in the same files.
    Shared,
    /// The work has a working tree of its own.
    Worktree,
    /// The work has a copy of its own.
    Copy,
}
