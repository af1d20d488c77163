//! Stores results for `windlass zoo report`, separately for the samples and for each repository.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass::{Error, Workspace};
use windlass_repo::Owner;
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::report::History;
use crate::{Checked, Results, ZooError};

/// Maximum size of the file with stored runs, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Version of the file format.
const SCHEMA_VERSION: u32 = 1;
/// Maximum number of locations stored per case if the file would otherwise be too large.
const MOST_SHOWN: usize = 100;
/// Time limit for acquiring the lock. Another run may hold it while storing its results.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stored runs for a repository or for the samples.
#[derive(Debug)]
pub struct StoredRuns<'a> {
    folder: RootedPath,
    /// The repository, or `None` for the samples.
    of: Option<&'a Workspace>,
}

/// The last run, with a summary of the earlier ones.
#[derive(Debug, Serialize, Deserialize)]
pub struct Runs {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// The results of the last run.
    pub results: Results,
    /// The outcome of the gates, or `None` if the run was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// A summary of the earlier runs.
    pub history: History,
}

impl<'a> StoredRuns<'a> {
    /// Returns the stored runs for the repository in `workspace`, or for the samples if it's
    /// `None`. They are stored below the folder `state`.
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

    /// Reads the stored runs. Runs of another repository at the same path are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read. The file is not changed.
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

    /// Replaces the last run by `results` and the outcome of their gates. `holder` describes the
    /// caller to processes waiting for the lock, as in [`Lock::acquire`].
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails, another process holds the lock, or the existing file cannot be read. The
    /// existing file is then unchanged.
    pub fn keep(
        &self,
        results: &Results,
        checked: Option<&Checked>,
        holder: &str,
    ) -> Result<(), ZooError> {
        let _lock =
            Lock::acquire(&self.folder.join("lock"), PATIENCE, holder).map_err(Error::from)?;
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
            // We couldn't read a larger file back. A program may have answered with a hundred
            // thousand locations.
            for case in &mut runs.results.cases {
                case.shown.truncate(MOST_SHOWN);
            }
            text = serde_json::to_vec(&runs).map_err(Error::internal)?;
        }
        write_atomic(&self.path(), &text, Durability::Relaxed).map_err(Error::from)?;
        Ok(())
    }
}
