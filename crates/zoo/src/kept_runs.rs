//! What runs found, kept for `windlass zoo report`: of the samples, and of each repository by itself.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass::{Error, Workspace};
use windlass_repo::Owner;
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::report::History;
use crate::{Checked, Results, ZooError};

/// The most that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The version of the format.
const SCHEMA_VERSION: u32 = 1;
/// Most places of a case that are kept.
const MOST_SHOWN: usize = 100;
/// How long another run may take to keep what it found.
const PATIENCE: Duration = Duration::from_secs(10);

/// The runs that are kept of a repository, or of the samples.
#[derive(Debug)]
pub struct KeptRuns<'a> {
    folder: RootedPath,
    /// The repository that was measured; none of the samples.
    of: Option<&'a Workspace>,
}

/// The last run, and what is remembered of those before it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Runs {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// Findings.
    pub results: Results,
    /// What the gates said of them, where they were held against them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// Those before it.
    pub history: History,
}

impl<'a> KeptRuns<'a> {
    /// Those of the repository of `workspace`, of the samples if not said, in the folder `state`.
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

    /// What is kept, if anything; what is kept of another repository that was in the same place is nothing.
    ///
    /// # Errors
    /// When it cannot be read: it is left as it is.
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

    /// Keeps `results`, and what the gates said of them, in the place of those before. `holder` says who asks, as [`Lock::acquire`] has it.
    ///
    /// # Errors
    /// When it cannot be written, another process holds the lock, or what is there cannot be read: nothing is lost then.
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
            // More would not be read again: a program may have answered by a hundred thousand places.
            for case in &mut runs.results.cases {
                case.shown.truncate(MOST_SHOWN);
            }
            text = serde_json::to_vec(&runs).map_err(Error::internal)?;
        }
        write_atomic(&self.path(), &text, Durability::Relaxed).map_err(Error::from)?;
        Ok(())
    }
}
