use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_engine::{ErrorKind, StepError};
use windlass_repo::Snapshot;

use super::program_review::{ReviewedFile, review_program};

/// Whether steps may start processes.
#[derive(Debug, Clone)]
pub enum CommandPermission {
    /// The user allowed it for this run, whatever is started.
    Allowed,
    /// The runbook is trusted, with the files that its steps start as they were looked at.
    Trusted(Arc<ReviewedSteps>),
    /// Neither.
    Refused,
    /// Whatever is trusted: who asked wants nothing to be changed, and a program may.
    Forbidden,
}

/// The steps of a runbook that start programs, by their ids.
pub type ReviewedSteps = BTreeMap<String, ReviewedStep>;

/// A step that starts a program, as it was trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedStep {
    /// Its input as it is written, with its references.
    pub with: Value,
    /// The files of the repository that it starts or loads.
    pub files: Vec<ReviewedFile>,
    /// Reasons why it may start or load others.
    pub open: Vec<String>,
    /// The reason that is told once for all steps of a run, if it is told by this step.
    pub loaders: Option<String>,
}

impl ReviewedStep {
    /// Refuses to go on when a file is no longer what was trusted: steps before may have changed it. Returns what the
    /// step starts or loads with `input`, its input without references, that trust does not cover.
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
    let message = format!("`{file}` is no longer what was trusted: it changed since the run began");
    StepError::new(ErrorKind::Refused, message).help(
        "list it in the step's `unpinned` if it may change, or start what a run makes itself with `--allow-commands`",
    )
}
