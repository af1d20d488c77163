//! What a pack is to be made of.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_packs::context::{EdgePayload, GlobalMode, NodeMode, ToolPolicy};
use windlass_steps::PackInput;

/// What a pack is to be made of.
#[derive(Debug, Clone, Default)]
pub struct BuildPack {
    /// What is to be reached.
    pub goal: String,
    /// What must hold for it to be reached; what documents say of it, if nothing is given.
    pub done: Vec<String>,
    /// The folder of the documents, which has to be there; `docs` if not given, where it is.
    pub docs_root: Option<String>,
    /// The plan: a file, or a file and the heading of a section: `docs/PLAN.md#retries`.
    pub plan: Option<String>,
    /// What is accepted.
    pub acceptance: Option<String>,
    /// How it is built.
    pub architecture: Option<String>,
    /// More documents.
    pub docs: Vec<String>,
    /// A commit, or a pack, that what changed is counted from; what is checked out, if not given.
    pub since: Option<String>,
    /// Files with what tests and compilers said.
    pub results: Vec<String>,
    /// Files that matter.
    pub files: Vec<String>,
    /// Regular expressions that lines of files that matter match.
    pub search: Vec<String>,
    /// What has to be kept to, by name.
    pub constraints: Vec<(String, String)>,
    /// What was decided, by name.
    pub decisions: Vec<(String, String)>,
    /// Packs of nodes before: they are named, and what was decided there holds here.
    pub from: Vec<String>,
    /// Whether the memory of the repository is not asked.
    pub no_memory: bool,
    /// What came from nodes before.
    pub payloads: Vec<EdgePayload>,
    /// The run it is for.
    pub run_id: Option<String>,
    /// The node it is for.
    pub node_id: Option<String>,
    /// Whether it is planned or done.
    pub mode: GlobalMode,
    /// Whether somebody can be asked.
    pub node_mode: Option<NodeMode>,
    /// The tools that may be used.
    pub tool_policy: ToolPolicy,
    /// The schema or contract that the output keeps to.
    pub output_schema: Option<String>,
    /// The folder that relative paths are meant from.
    pub start: PathBuf,
    /// Whether packs are named by their whole ids alone: what else names one may name another tomorrow.
    pub exact: bool,
}

impl BuildPack {
    /// What a step asks for. Its names are meant from the root, and only names that will always mean the same count.
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
