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
    /// The user trusts the runbook. Its steps may start the reviewed files for as long as they're
    /// unchanged.
    Trusted(Arc<ReviewedSteps>),
    /// Neither trust nor an option of this run allows it.
    Refused,
    /// The caller wants no changes. A program might make some, so even trust doesn't allow it.
    Forbidden,
}

/// Steps of a runbook that start programs, by id.
pub type ReviewedSteps = BTreeMap<String, ReviewedStep>;

/// A trusted step that starts a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedStep {
    /// The input as written in the runbook, with its references.
    pub with: Value,
    /// Files of the repository started or loaded by the step.
    pub files: Vec<ReviewedFile>,
    /// Reasons why the step may start or load other files.
    pub open: Vec<String>,
    /// A reason shared by many steps of a run, so we report it only once. `None` if it doesn't
    /// apply to this step.
    pub loaders: Option<String>,
}

impl ReviewedStep {
    /// Checks the files again with the resolved `input`. A file may have been changed by an earlier
    /// step since it was trusted, in which case it's refused. Returns the files started or loaded
    /// by the step that trust doesn't cover.
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
