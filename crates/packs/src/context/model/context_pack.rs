use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{
    ArtifactRef, BudgetReport, Conflict, Delta, PackId, Provenance, RedactionReport,
    TruncationReport,
};

/// Version of the pack format.
pub const SCHEMA_VERSION: u32 = 1;

/// The minimum knowledge needed for a piece of work.
///
/// Every pack has the contents; `budget`, `truncation` and `nextActions` exist only in the shown form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPack {
    /// Version of the form; packs of other tools have none.
    #[serde(
        default,
        rename = "schema_version",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: Option<u32>,
    /// Id, derived from the digest of the contents without `createdAt`.
    pub pack_id: PackId,
    /// Run id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Node id within the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Creation time in RFC 3339. Not part of the contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub created_at: Option<String>,
    /// Goal, in one to three sentences.
    pub goal: String,
    /// Conditions for the goal to be reached.
    pub definition_of_done: Vec<String>,
    /// Mode of the work: planning or implementation.
    pub global_mode: GlobalMode,
    /// Interaction with people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_mode: Option<NodeMode>,
    /// Folder of the contract documents.
    pub docs_root: String,
    /// Contract documents, the most important first.
    pub doc_refs: Vec<DocRef>,
    /// Languages and tools of the repository.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub repo_facts: Map<String, Value>,
    /// Location of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PackWorkspace>,
    /// Relevant files, the most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relevant_files: Vec<RelevantFile>,
    /// Inputs from preceding nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PayloadRef>,
    /// Logs, diffs and reports that may be inspected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// Decisions made so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// Constraints to respect.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub constraints: Map<String, Value>,
    /// Tools that may be used, and under which conditions.
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
    /// Report of replaced secret values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<RedactionReport>,
    /// Notes about the sources, one sentence each, sorted: files too large to be searched, named files that are empty
    /// or not text, and contradictions.
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
    /// Parts that are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TruncationReport>,
    /// Next actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<windlass_base::NextAction>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Mode of work.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GlobalMode {
    /// The work is being planned.
    Planning,
    /// Done.
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
    /// The file.
    pub path: String,
    /// The sections: their headings as a link names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// Text of the section, with a line of `…` for omitted lines.
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
    /// Purpose of the file, or the reason it is relevant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Relevant lines, with a line of `…` for omitted lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// `sha256:` and the hash of all its lines, with secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Input received over an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayloadRef {
    /// Payload id.
    pub payload_id: PackId,
    /// Sending node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_node_id: Option<String>,
    /// Edge it came over.
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

/// Location of work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackWorkspace {
    /// Sharing with other agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkspaceMode>,
    /// Root of the repository. Not set by Windlass: it differs between machines.
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

/// Sharing of a working tree.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceMode {
    /// Others work in the same files.
    Shared,
    /// In a working tree of its own.
    Worktree,
    /// In a copy.
    Copy,
}
