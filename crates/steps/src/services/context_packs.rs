//! Access to context packs for the `pack` step.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::{Cancel, RepoPath};
use windlass_engine::StepError;
use windlass_packs::context::{ContextPack, GlobalMode, NodeMode, ToolPolicy};
use windlass_repo::Snapshot;

/// Builds and stores a context pack: the context needed for a piece of work.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackInput {
    /// Goal, in one to three sentences.
    #[schemars(length(min = 1))]
    pub goal: String,
    /// Acceptance conditions of the goal; taken from the documents by default.
    #[serde(default)]
    pub definition_of_done: Vec<String>,
    /// Folder of the documents; `docs` by default.
    #[serde(default)]
    pub docs_root: Option<RepoPath>,
    /// Plan: a file, or a file and the heading of a section: `docs/PLAN.md#retries`. It may be a vContext
    /// document.
    #[serde(default)]
    pub plan: Option<String>,
    /// Acceptance document.
    #[serde(default)]
    pub acceptance: Option<String>,
    /// Architecture document.
    #[serde(default)]
    pub architecture: Option<String>,
    /// Further documents.
    #[serde(default)]
    pub docs: Vec<String>,
    /// Base of the changes: a commit, or the whole id of a pack; the checked-out commit by default.
    #[serde(default)]
    pub since: Option<String>,
    /// Files with results of tests and compilers.
    #[serde(default)]
    pub results: Vec<RepoPath>,
    /// Relevant files.
    #[serde(default)]
    pub files: Vec<RepoPath>,
    /// Regular expressions for lines of relevant files.
    #[serde(default)]
    pub search: Vec<String>,
    /// Constraints, by name.
    #[serde(default)]
    pub constraints: BTreeMap<String, String>,
    /// Decisions, by name.
    #[serde(default)]
    pub decisions: BTreeMap<String, String>,
    /// Packs of earlier nodes, by their whole ids; their decisions apply here too.
    #[serde(default)]
    pub from: Vec<String>,
    /// Include what the repository's memory recalls for the goal; true by default.
    #[serde(default)]
    pub memory: Option<bool>,
    /// Node that the pack is for.
    #[serde(default)]
    pub node: Option<String>,
    /// Planning or execution.
    #[serde(default)]
    pub mode: GlobalMode,
    /// Interactive or autonomous work.
    #[serde(default)]
    pub node_mode: Option<NodeMode>,
    /// Permitted tools.
    #[serde(default)]
    pub tool_policy: ToolPolicy,
    /// Schema or contract of the output.
    #[serde(default)]
    pub output_schema: Option<String>,
}

/// Builds and stores context packs.
///
/// The caller of a run implements this trait, so that this crate doesn't depend on the crate with
/// the store.
pub trait ContextPacks: Send + Sync {
    /// Builds a pack from the files in `snapshot`, and stores it.
    ///
    /// # Errors
    /// Returns an error for a missing or forbidden source, or if the pack can't be stored.
    fn build(
        &self,
        input: &PackInput,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, StepError>;
}

/// The implementation for runs without context packs, in which every `pack` step fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoContextPacks;

impl ContextPacks for NoContextPacks {
    fn build(&self, _: &PackInput, _: &Snapshot, _: &Cancel) -> Result<ContextPack, StepError> {
        Err(StepError::failed("context packs are not available here"))
    }
}
