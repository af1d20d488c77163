use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_packs::context::{EdgePayload, GlobalMode, NodeMode, ToolPolicy};
use windlass_steps::PackInput;

/// A request for a pack. All that is needed is a goal, and even that may come from a plan.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// The goal. If it is empty, a TodoList or a Plan among the documents must state one.
    pub goal: String,
    /// Conditions that the work must meet. If there are none, we take them from the documents.
    pub done: Vec<String>,
    /// Folder of the documents. If it is given, it must exist. The default is `docs`, which does
    /// not have to.
    pub docs_root: Option<String>,
    /// The plan, as a file or as a file with a section, e.g. `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// The document with the acceptance criteria, in the same form as `plan`.
    pub acceptance: Option<String>,
    /// The document about the architecture, in the same form as `plan`.
    pub architecture: Option<String>,
    /// Other documents, in the same form as `plan`.
    pub docs: Vec<String>,
    /// The commit or the pack that changes are counted from. By default, it is the commit that is
    /// checked out.
    pub since: Option<String>,
    /// Files with the output of tests and compilers. Without any, the pack has no failures.
    pub results: Vec<String>,
    /// Files to include, no matter how relevant they seem to be.
    pub files: Vec<String>,
    /// Regular expressions. We show the files that have matching lines.
    pub search: Vec<String>,
    /// Constraints by name. If a document states the same constraint, this one takes precedence.
    pub constraints: Vec<(String, String)>,
    /// Decisions by ID. They take precedence over decisions in earlier packs.
    pub decisions: Vec<(String, String)>,
    /// Packs of earlier nodes. The new pack refers to them, and adopts their decisions.
    pub from: Vec<String>,
    /// True if nothing should be recalled from the memory.
    pub no_memory: bool,
    /// Payloads from earlier nodes.
    pub payloads: Vec<EdgePayload>,
    /// The run that will use the pack.
    pub run_id: Option<String>,
    /// The node that will use the pack.
    pub node_id: Option<String>,
    /// Planning or execution.
    pub mode: GlobalMode,
    /// Interactive or autonomous.
    pub node_mode: Option<NodeMode>,
    /// Tools that the node may use.
    pub tool_policy: ToolPolicy,
    /// Schema or contract for the output of the node.
    pub output_schema: Option<String>,
    /// The folder that relative paths start from.
    pub start: PathBuf,
    /// True to accept packs only by their whole ID. `last` and abbreviations are convenient for
    /// people, but may mean another pack the next time.
    pub exact: bool,
}

impl BuildPack {
    /// Converts the input of a `pack` step. Paths start from the root, and packs must be given by
    /// their whole ID.
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
