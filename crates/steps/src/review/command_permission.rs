use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_engine::{ErrorKind, StepError};
use windlass_repo::Snapshot;

use super::program_review::{ReviewedFile, review_program};

/// Permission for the steps of a run to start processes.
#[derive(Debug, Clone)]
pub enum CommandPermission {
    /// The user allows any program for this run.
    Allowed,
    /// The user trusts the runbook. Its steps may start the files that were reviewed, if they are unchanged.
    Trusted(Arc<ReviewedSteps>),
    /// Nothing allows it, neither trust nor an option of this run.
    Refused,
    /// The caller wants no changes. A program might make some, so even trust does not allow it.
    Forbidden,
}

/// Steps that start programs in a runbook, by id.
pub type ReviewedSteps = BTreeMap<String, ReviewedStep>;

/// Trusted step that starts a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedStep {
    /// Input as written in the runbook, with its references.
    pub with: Value,
    /// Files of the repository that the step starts or loads.
    pub files: Vec<ReviewedFile>,
    /// Reasons why the step may start or load other files.
    pub open: Vec<String>,
    /// Reason that many steps of a run share, so it is reported only once. `None` if it does not apply to this step.
    pub loaders: Option<String>,
}

impl ReviewedStep {
    /// Checks the files again with the resolved `input`. Refuses a file that changed since it was trusted, because an
    /// earlier step may have changed it. Returns the files that the step starts or loads and that trust does not cover.
    pub(crate) fn check(
        &self,
        input: &Value,
        path: Option<&OsStr>,
        now: &Snapshot,
    ) -> Result<Vec<String>, StepError> {
        let (files, _) = reviewed(&self.with, path, now)?;
        let changed = files.iter().find(|file| !self.files.contains(file));
        let gone = || self.files.iter().find(|file| !files.contains(file));
        if let Some(changed) = changed.or_else(gone) {
            return Err(no_longer_trusted(&changed.file));
        }
        if self.with == *input {
            return Ok(self.open.iter().chain(&self.loaders).cloned().collect());
        }
        let (loaded, mut open) = reviewed(input, path, now)?;
        let others = loaded.iter().filter(|file| !self.files.contains(file));
        let others = others.filter(|file| file.digest.is_some());
        open.extend(others.map(|file| format!("`{}`, which an input names", file.file)));
        open.extend(self.loaders.clone());
        Ok(open)
    }
}

fn reviewed(
    with: &Value,
    path: Option<&OsStr>,
    now: &Snapshot,
) -> Result<(Vec<ReviewedFile>, Vec<String>), StepError> {
    let review =
        review_program(with, path, now).map_err(|unknown| no_longer_trusted(&unknown.file))?;
    Ok((review.files, review.open))
}

fn no_longer_trusted(file: &RepoPath) -> StepError {
    let message = format!("`{file}` changed since the run began, so it is no longer trusted");
    StepError::new(ErrorKind::Refused, message).help(
        "list it in the step's `unpinned` if it may change, or start what a run makes itself with `--allow-commands`",
    )
}
