//! Permission of a run's steps to start processes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_engine::{ErrorKind, StepError};
use windlass_repo::Snapshot;

use super::program_review::{ReviewedFile, review_program};

/// Says if the steps of a run may start processes.
#[derive(Debug, Clone)]
pub enum CommandPermission {
    /// The user allows any program for this run, e.g. with `--allow-commands`.
    Allowed,
    /// The user trusts the runbook. A step may start the files that were reviewed, as long as they
    /// don't change.
    Trusted(Arc<ReviewedSteps>),
    /// The runbook isn't trusted, and the user has not allowed commands for this run.
    Refused,
    /// The caller forbids changes. Any program might make some, so trust doesn't help.
    Forbidden,
}

/// The steps of a runbook that start programs, as reviewed, by step ID.
pub type ReviewedSteps = BTreeMap<String, ReviewedStep>;

/// A trusted `command` step, with its reviewed files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedStep {
    /// The input as it's written in the runbook, i.e. with unresolved references.
    pub with: Value,
    /// Repository files that the step starts or loads.
    pub files: Vec<ReviewedFile>,
    /// Reasons why the step may load files that aren't in `files`. If there are none, the review is
    /// complete.
    pub open: Vec<String>,
}

impl ReviewedStep {
    /// Reviews the step again, first as written and then with the resolved `input`.
    ///
    /// We refuse the step if a file has changed since the user trusted it. Returns the files that
    /// trust doesn't cover.
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
            return Ok(self.open.clone());
        }
        // A reference may name a file that nobody could know of when the runbook was reviewed. We
        // don't refuse that, since inputs are up to the user, but the output mentions it.
        let (loaded, mut open) = reviewed(input, path, now)?;
        let others = loaded.iter().filter(|file| !self.files.contains(file));
        let others = others.filter(|file| file.digest.is_some());
        open.extend(others.map(|file| format!("`{}`, which an input names", file.file)));
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
