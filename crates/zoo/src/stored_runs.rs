//! Stores results for `windlass zoo report`. The samples and each repository have a file of their
//! own.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass::{Environment, Error, Workspace};
use windlass_repo::Owner;
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::report::History;
use crate::{Checked, Results, ZooError};

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Version of the file format. Raise it if an older version would misread the file.
const SCHEMA_VERSION: u32 = 1;
/// If the file would be too large, we only store this many locations per case.
const MOST_SHOWN: usize = 100;
/// How long we wait for the lock, which another run may hold while it's storing its results.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stored runs of a repository, or of the samples.
#[derive(Debug)]
pub struct StoredRuns<'a> {
    folder: RootedPath,
    /// The repository, or `None` for the samples.
    of: Option<&'a Workspace>,
}

/// The last run, and a summary of earlier ones.
#[derive(Debug, Serialize, Deserialize)]
pub struct Runs {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// The results of the last run.
    pub results: Results,
    /// The outcome of the gates. `None` if they were not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// A summary of the earlier runs.
    pub history: History,
}

impl<'a> StoredRuns<'a> {
    /// Returns the stored runs of a repository or, without a `workspace`, of the samples. The files
    /// are below the folder `state`.
    #[must_use]
    pub fn of(workspace: Option<&'a Workspace>, state: &RootedPath) -> Self {
        let folder = match workspace {
            Some(workspace) => {
                let id = &workspace.site().repo().identity().repo_id;
                state.join("repos").join(id).join("zoo")
            }
            None => state.join("zoo"),
        };
        Self {
            folder,
            of: workspace,
        }
    }

    fn path(&self) -> RootedPath {
        self.folder.join("runs.json")
    }

    /// Reads the stored runs. If they're of another repository that used to be at the same path, we
    /// ignore them.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read. The file stays as it is.
    pub fn read(&self) -> Result<Option<Runs>, ZooError> {
        let runs: Option<Runs> =
            read_document(&self.path(), SCHEMA_VERSION, MAX_BYTES).map_err(Error::from)?;
        let is_ours = |runs: &Runs| match (self.of, &runs.repo) {
            (Some(workspace), Some(owner)) => owner.check(workspace.site().repo()).is_ok(),
            (None, None) => true,
            _ => false,
        };
        Ok(runs.filter(is_ours))
    }

    /// Replaces the last run, including the outcome of the gates. The run before becomes part of
    /// the history.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read or written, or if another process holds the lock.
    /// In this case, the file stays as it is.
    pub fn keep(
        &self,
        results: &Results,
        checked: Option<&Checked>,
        environment: &Environment,
    ) -> Result<(), ZooError> {
        let request = environment.lock_request(PATIENCE);
        let _lock = Lock::acquire(&self.folder.join("lock"), &request).map_err(Error::from)?;
        let before = self.read()?;
        let owner = before.as_ref().and_then(|runs| runs.repo.as_ref());
        let repo = self
            .of
            .map(|workspace| Owner::of(workspace.site().repo(), owner));
        let mut history = before.map(|runs| runs.history).unwrap_or_default();
        history.add(results);
        let mut runs = Runs {
            schema_version: SCHEMA_VERSION,
            repo,
            results: results.clone(),
            checked: checked.cloned(),
            history,
        };
        let mut text = serde_json::to_vec(&runs).map_err(Error::internal)?;
        if text.len() as u64 > MAX_BYTES {
            // We could write a larger file, but not read it again. Since a program may answer with
            // a hundred thousand locations, this can happen.
            for case in &mut runs.results.cases {
                case.shown.truncate(MOST_SHOWN);
            }
            text = serde_json::to_vec(&runs).map_err(Error::internal)?;
        }
        write_atomic(&self.path(), &text, Durability::Relaxed).map_err(Error::from)?;
        Ok(())
    }
}
