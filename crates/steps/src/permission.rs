use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{Digest, RepoPath};
use windlass_engine::{ErrorKind, StepError};
use windlass_repo::{Refusal, Snapshot};

/// Whether steps may start processes.
#[derive(Debug, Clone)]
pub enum CommandPermission {
    /// The user allowed it for this run, whatever is started.
    Allowed,
    /// The runbook is trusted, with the files that its steps start as they were looked at.
    Trusted(Arc<ReviewedFiles>),
    /// Neither.
    Refused,
    /// Whatever is trusted: who asked wants nothing to be changed, and a program may.
    Forbidden,
}

/// The files of the repository that each step of a runbook starts or loads, by the step's id.
pub type ReviewedFiles = BTreeMap<String, Vec<ReviewedFile>>;

/// A file of the repository that a step starts or loads: its program, the script of an interpreter, a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// Where it is.
    pub file: RepoPath,
    /// The digest of its bytes; none when there is no such file.
    pub digest: Option<Digest>,
}

impl ReviewedFile {
    /// The file at `path` as it is in `snapshot`.
    ///
    /// # Errors
    /// When it is there and may not be read.
    pub fn of(file: RepoPath, snapshot: &Snapshot) -> Result<Self, Refusal> {
        let digest = match snapshot.read(&file) {
            Ok(source) => Some(Digest::of_bytes(source.bytes())),
            Err(Refusal::Missing | Refusal::Directory) => None,
            Err(refusal) => return Err(refusal),
        };
        Ok(Self { file, digest })
    }

    /// Refuses to go on when the file is no longer what was looked at: steps before may have changed it.
    pub(crate) fn check(&self, now: &Snapshot) -> Result<(), StepError> {
        if Self::of(self.file.clone(), now).as_ref() == Ok(self) {
            return Ok(());
        }
        let message = format!(
            "`{}` is no longer what was trusted: it changed since the run began",
            self.file
        );
        Err(StepError::new(ErrorKind::Refused, message)
            .help("what a run makes and starts itself is started with `--allow-commands`"))
    }
}
