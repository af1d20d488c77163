//! Request for building a pack.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_packs::context::{EdgePayload, GlobalMode, NodeMode, ToolPolicy};
use windlass_steps::PackInput;

/// Request to build a pack.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// Goal of the work.
    pub goal: String,
    /// Conditions that must be met before the work is done. If empty, they are read from the documents.
    pub done: Vec<String>,
    /// Folder of the documents, which must exist. The default is `docs` if it exists.
    pub docs_root: Option<String>,
    /// Plan: a file, or a file and a section such as `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// Acceptance criteria, in the same form as the plan.
    pub acceptance: Option<String>,
    /// Architecture document, in the same form as the plan.
    pub architecture: Option<String>,
    /// Further documents, in the same form as the plan.
    pub docs: Vec<String>,
    /// Commit or pack from which changes are counted. The default is the checked-out commit.
    pub since: Option<String>,
    /// Files with the output of tests and compilers.
    pub results: Vec<String>,
    /// Files to include.
    pub files: Vec<String>,
    /// Regular expressions. Files with matching lines are included.
    pub search: Vec<String>,
    /// Constraints, by name.
    pub constraints: Vec<(String, String)>,
    /// Decisions, by name.
    pub decisions: Vec<(String, String)>,
    /// Packs from earlier nodes. They are referenced, and their decisions are adopted.
    pub from: Vec<String>,
    /// True to exclude the memory of the repository.
    pub no_memory: bool,
    /// Payloads from earlier nodes.
    pub payloads: Vec<EdgePayload>,
    /// Id of the run that the pack is for.
    pub run_id: Option<String>,
    /// Id of the node that the pack is for.
    pub node_id: Option<String>,
    /// Planning or execution.
    pub mode: GlobalMode,
    /// Mode of the node: interactive or autonomous.
    pub node_mode: Option<NodeMode>,
    /// Tools that the node may use.
    pub tool_policy: ToolPolicy,
    /// Schema or contract that the output of the node has to meet.
    pub output_schema: Option<String>,
    /// Folder that relative paths refer to.
    pub start: PathBuf,
    /// True to accept packs by whole id only. Any other name may refer to another pack later.
    pub exact: bool,
}

impl BuildPack {
    /// Converts the input of a `pack` step. Names are relative to the root, and packs must be given by whole id.
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
