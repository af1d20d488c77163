use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{
    ArtifactRef, BudgetReport, Conflict, Delta, PackId, Provenance, RedactionReport,
    TruncationReport,
};

/// The version of the form that is written.
pub const SCHEMA_VERSION: u32 = 1;

/// The least that somebody needs to know to do a piece of work.
///
/// What a pack is made of is the same in every pack; `budget`, `truncation` and `nextActions` stand only in what is shown of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPack {
    /// The version of this form; packs of other tools have none.
    #[serde(
        default,
        rename = "schema_version",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: Option<u32>,
    /// Its name. It follows from the digest of all that makes the pack, `createdAt` left out.
    pub pack_id: PackId,
    /// The run it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The node of that run it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// When it was put together: RFC 3339. Not a part of what makes the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub created_at: Option<String>,
    /// What is to be reached, in one to three sentences.
    pub goal: String,
    /// What must hold for it to be reached.
    pub definition_of_done: Vec<String>,
    /// Whether it is planned or done.
    pub global_mode: GlobalMode,
    /// Whether somebody can be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_mode: Option<NodeMode>,
    /// The folder of the documents that are the contract.
    pub docs_root: String,
    /// The documents that are the contract, the most important first.
    pub doc_refs: Vec<DocRef>,
    /// Languages and tools of the repository.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub repo_facts: Map<String, Value>,
    /// Where the work is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PackWorkspace>,
    /// The files that matter, those that matter most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relevant_files: Vec<RelevantFile>,
    /// What came from nodes before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PayloadRef>,
    /// Logs, diffs and reports that may be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// What was decided so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What has to be kept to.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub constraints: Map<String, Value>,
    /// Which tools may be used, and how.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub tool_policy: Map<String, Value>,
    /// The schema or contract that the output keeps to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_ref: Option<String>,
    /// What changed, and what fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Where every part of it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Which secret values were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<RedactionReport>,
    /// What whoever reads it should know of what it was made of, each in a sentence, sorted: which files were too large to be looked into, which
    /// of what was named is empty or no text, and what says two things at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_notes: Vec<String>,
    /// What packs that were merged say differently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// The packs it was merged of, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<PackId>,
    /// How much of it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetReport>,
    /// What of it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TruncationReport>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<windlass_base::NextAction>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Whether work is planned or done.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GlobalMode {
    /// Planned.
    Planning,
    /// Done.
    #[default]
    Implementation,
}

/// Whether somebody can be asked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NodeMode {
    /// Nobody.
    Auto,
    /// Somebody.
    Interactive,
}

/// How much a document counts.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Nice to know.
    Low,
    /// As a rule.
    #[default]
    Medium,
    /// It is the contract.
    High,
}

/// A document, and which sections of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocRef {
    /// The file.
    pub path: String,
    /// The sections: their headings as a link names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// What stands there; where lines are left out between two parts of it, a line of `…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// How much it counts.
    #[serde(default)]
    pub priority: Priority,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A file that matters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RelevantFile {
    /// The file.
    pub path: String,
    /// What it is for, or why it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The lines of it that matter; where lines are left out between two parts of it, a line of `…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// `sha256:` and the hash of all its lines, secret values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What came over an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayloadRef {
    /// The payload.
    pub payload_id: PackId,
    /// Who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_node_id: Option<String>,
    /// Which way it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_id: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Something that was decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Its name.
    pub id: String,
    /// What was decided.
    pub summary: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Where there is more of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Where work is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackWorkspace {
    /// Whether others work there, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkspaceMode>,
    /// The root of the repository. Packs made here give none: it is another one on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_path: Option<String>,
    /// The working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Whether others work in the same place.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceMode {
    /// In the same files.
    Shared,
    /// In a working tree of its own.
    Worktree,
    /// In a copy.
    Copy,
}
