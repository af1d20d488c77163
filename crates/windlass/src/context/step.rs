//! Packs as steps of runbooks put them together.

use windlass_base::Cancel;
use windlass_context::ContextPack;
use windlass_engine::{ErrorKind as StepErrorKind, StepError};
use windlass_repo::Snapshot;
use windlass_steps::{ContextPacks, PackInput};

use super::BuildPack;
use crate::{Error, ErrorKind, Workspace};

/// The packs of the workspace, for the step that puts one together.
pub(crate) struct WorkspacePacks(pub(crate) Workspace);

impl ContextPacks for WorkspacePacks {
    fn build(
        &self,
        input: &PackInput,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, StepError> {
        let request = BuildPack::of_step(input.clone(), self.0.repo().root());
        let pack = self.0.compose_pack(&request, snapshot, cancel);
        let pack = pack.map_err(|error| step_error(&error))?;
        self.0.keep_pack(&pack).map_err(|error| {
            let help =
                "the pack was put together; without a place to keep it nobody could be given it";
            step_error(&error).help(help)
        })?;
        Ok(pack)
    }
}

impl BuildPack {
    /// What a step asks for. Its names are meant from the root, and only names that will always mean the same count.
    pub(crate) fn of_step(input: PackInput, root: &std::path::Path) -> Self {
        let texts = |paths: Vec<windlass_base::RepoPath>| {
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

fn step_error(error: &Error) -> StepError {
    let kind = match error.kind() {
        ErrorKind::Refused => StepErrorKind::Refused,
        ErrorKind::Invalid => StepErrorKind::Invalid,
        ErrorKind::Interrupted => StepErrorKind::Cancelled,
        _ => StepErrorKind::Failed,
    };
    StepError {
        help: error.help(),
        ..StepError::new(kind, error.to_string())
    }
}
