//! Requests for building a pack.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_packs::context::{EdgePayload, GlobalMode, NodeMode, ToolPolicy};
use windlass_steps::PackInput;

/// A request to build a pack.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// The work's goal.
    pub goal: String,
    /// Conditions for the work to be done. If empty, they're read from the documents.
    pub done: Vec<String>,
    /// Folder of the documents, which must exist. The default is `docs`, if there is such a folder.
    pub docs_root: Option<String>,
    /// The plan: a file, or a file and a section such as `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// Acceptance criteria, in the same form as the plan.
    pub acceptance: Option<String>,
    /// Architecture document, in the same form as the plan.
    pub architecture: Option<String>,
    /// Other documents, in the same form as the plan.
    pub docs: Vec<String>,
    /// Commit or pack to count changes from. The default is the checked-out commit.
    pub since: Option<String>,
    /// Files with test and compiler output.
    pub results: Vec<String>,
    /// Files to include.
    pub files: Vec<String>,
    /// Regular expressions. Files with matching lines are included.
    pub search: Vec<String>,
    /// Constraints, by name.
    pub constraints: Vec<(String, String)>,
    /// Decisions, by name.
    pub decisions: Vec<(String, String)>,
    /// Packs from earlier nodes, to be referenced in the pack. Their decisions are adopted.
    pub from: Vec<String>,
    /// True to exclude the repository's memory.
    pub no_memory: bool,
    /// Payloads from earlier nodes.
    pub payloads: Vec<EdgePayload>,
    /// Id of the run the pack is for.
    pub run_id: Option<String>,
    /// Id of the node the pack is for.
    pub node_id: Option<String>,
    /// Planning or execution.
    pub mode: GlobalMode,
    /// The node's mode: interactive or autonomous.
    pub node_mode: Option<NodeMode>,
    /// Tools available to the node.
    pub tool_policy: ToolPolicy,
    /// Schema or contract for the node's output.
    pub output_schema: Option<String>,
    /// Folder for resolving relative paths.
    pub start: PathBuf,
    /// True to accept packs by whole id only, because any other name may refer to another pack
    /// later.
    pub exact: bool,
}

impl BuildPack {
    /// Converts the input of a `pack` step. Names are relative to the root, and packs must be given
    /// by whole id.
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
