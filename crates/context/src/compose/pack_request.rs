//! Request for building a pack.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_packs::context::{EdgePayload, GlobalMode, NodeMode, ToolPolicy};
use windlass_steps::PackInput;

/// Request for building a pack.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// Goal of the work.
    pub goal: String,
    /// Conditions for the work to be done; taken from the documents if empty.
    pub done: Vec<String>,
    /// Folder of the documents, which must exist; `docs`, if that exists, by default.
    pub docs_root: Option<String>,
    /// Plan: a file, or a file and a section such as `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// Acceptance criteria, given like the plan.
    pub acceptance: Option<String>,
    /// Architecture document, given like the plan.
    pub architecture: Option<String>,
    /// More documents, given like the plan.
    pub docs: Vec<String>,
    /// Commit or pack from which changes are counted; the checked-out commit by default.
    pub since: Option<String>,
    /// Files with the output of tests and compilers.
    pub results: Vec<String>,
    /// Files to include.
    pub files: Vec<String>,
    /// Regular expressions; files with matching lines are included.
    pub search: Vec<String>,
    /// Constraints, by name.
    pub constraints: Vec<(String, String)>,
    /// Decisions, by name.
    pub decisions: Vec<(String, String)>,
    /// Packs of earlier nodes: they are referenced, and their decisions hold.
    pub from: Vec<String>,
    /// True to leave the memory of the repository out.
    pub no_memory: bool,
    /// Payloads of earlier nodes.
    pub payloads: Vec<EdgePayload>,
    /// Id of the run that the pack is for.
    pub run_id: Option<String>,
    /// Id of the node that the pack is for.
    pub node_id: Option<String>,
    /// Planning or execution.
    pub mode: GlobalMode,
    /// Interactive or autonomous node.
    pub node_mode: Option<NodeMode>,
    /// Tools that the node may use.
    pub tool_policy: ToolPolicy,
    /// Schema or contract of the output.
    pub output_schema: Option<String>,
    /// Folder that relative paths refer to.
    pub start: PathBuf,
    /// True to accept packs by whole id only: any other name may mean another pack later.
    pub exact: bool,
}

impl BuildPack {
    /// Converts the input of a step. Names are relative to the root and exact.
    #[must_use]
    pub fn of_step(input: PackInput, root: &Path) -> Self {
        let texts = |paths: Vec<RepoPath>| {
            let texts = paths.iter().map(ToString::to_string);
            texts.collect::<Vec<_>>()
        };
        Self {
            goal: input.goal,
            done: input.definition_of_done,
            docs_root: input.docs_root.map(|root| root.to_string()),
            plan: input.plan,
            acceptance: input.acceptance,
            architecture: input.architecture,
            docs: input.docs,
            since: input.since,
            results: texts(input.results),
            files: texts(input.files),
            search: input.search,
            constraints: input.constraints.into_iter().collect(),
            decisions: input.decisions.into_iter().collect(),
            from: input.from,
            payloads: Vec::new(),
            no_memory: input.memory == Some(false),
            run_id: None,
            node_id: input.node,
            mode: input.mode,
            node_mode: input.node_mode,
            tool_policy: input.tool_policy,
            output_schema: input.output_schema,
            start: root.to_owned(),
            exact: true,
        }
    }
}
