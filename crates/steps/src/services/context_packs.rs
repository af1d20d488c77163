//! Context packs, as the `pack` step asks for them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::{Cancel, RepoPath};
use windlass_engine::StepError;
use windlass_packs::context::{ContextPack, GlobalMode, NodeMode, ToolPolicy};
use windlass_repo::Snapshot;

/// Puts a context pack together and keeps it: what somebody has to know to do a piece of work.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackInput {
    /// What is to be reached, in one to three sentences.
    #[schemars(length(min = 1))]
    pub goal: String,
    /// What must hold for it to be reached; what the documents say of it, if nothing is given.
    #[serde(default)]
    pub definition_of_done: Vec<String>,
    /// The folder of the documents; `docs` if not given.
    #[serde(default)]
    pub docs_root: Option<RepoPath>,
    /// The plan: a file, or a file and the heading of a section: `docs/PLAN.md#retries`. It may be a vContext document.
    #[serde(default)]
    pub plan: Option<String>,
    /// What is accepted.
    #[serde(default)]
    pub acceptance: Option<String>,
    /// How it is built.
    #[serde(default)]
    pub architecture: Option<String>,
    /// More documents.
    #[serde(default)]
    pub docs: Vec<String>,
    /// A commit, or the whole id of a pack, that what changed is counted from; what is checked out, if not given.
    #[serde(default)]
    pub since: Option<String>,
    /// Files with what tests and compilers said.
    #[serde(default)]
    pub results: Vec<RepoPath>,
    /// Files that matter.
    #[serde(default)]
    pub files: Vec<RepoPath>,
    /// Regular expressions that lines of files that matter match.
    #[serde(default)]
    pub search: Vec<String>,
    /// What has to be kept to, by name.
    #[serde(default)]
    pub constraints: BTreeMap<String, String>,
    /// What was decided, by name.
    #[serde(default)]
    pub decisions: BTreeMap<String, String>,
    /// Packs of nodes before, by their whole ids: they are named, and what was decided there holds here.
    #[serde(default)]
    pub from: Vec<String>,
    /// Whether what the memory of the repository recalls of the goal is taken in; it is if nothing is said.
    #[serde(default)]
    pub memory: Option<bool>,
    /// The node it is for.
    #[serde(default)]
    pub node: Option<String>,
    /// Whether it is planned or done.
    #[serde(default)]
    pub mode: GlobalMode,
    /// Whether somebody can be asked.
    #[serde(default)]
    pub node_mode: Option<NodeMode>,
    /// The tools that may be used.
    #[serde(default)]
    pub tool_policy: ToolPolicy,
    /// The schema or contract that the output keeps to.
    #[serde(default)]
    pub output_schema: Option<String>,
}

/// Where context packs are put together and kept.
pub trait ContextPacks: Send + Sync {
    /// The pack that `input` asks for, made of the state of the files that `snapshot` serves; it is kept.
    ///
    /// # Errors
    /// When something that was named is not there or may not be read, or the pack cannot be kept.
    fn build(
        &self,
        input: &PackInput,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, StepError>;
}

/// No packs can be put together.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoContextPacks;

impl ContextPacks for NoContextPacks {
    fn build(&self, _: &PackInput, _: &Snapshot, _: &Cancel) -> Result<ContextPack, StepError> {
        Err(StepError::failed("no pack can be put together here"))
    }
}
