//! What runs found, kept for `windlass zoo report`: of the samples, and of each repository by itself.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass::repo::Owner;
use windlass::store::{Durability, Lock, read_document, write_atomic};
use windlass::{Error, Workspace};
use windlass_zoo::report::History;
use windlass_zoo::{Checked, Results};

use super::{Failure, MAX_BYTES, dirs};
use crate::outside::environment;

/// The version of the format.
const SCHEMA_VERSION: u32 = 1;
/// How long another run may take to keep what it found.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where it is kept, and whose it is.
pub(super) struct Kept<'a> {
    folder: PathBuf,
    /// The repository that was measured; none of the samples.
    of: Option<&'a Workspace>,
}

/// The last run, and what is remembered of those before it.
#[derive(Serialize, Deserialize)]
pub(super) struct Runs {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    pub(super) results: Results,
    /// What the gates said of them, where they were held against them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checked: Option<Checked>,
    pub(super) history: History,
}

impl<'a> Kept<'a> {
    /// Of the repository of `workspace`; of the samples if not said.
    pub(super) fn of(workspace: Option<&'a Workspace>) -> Result<Self, Failure> {
        let state = dirs()?.state;
        let folder = match workspace {
            Some(workspace) => {
                let id = &workspace.repo().identity().repo_id;
                state.join("repos").join(id).join("zoo")
            }
            None => state.join("zoo"),
        };
        Ok(Self {
            folder,
            of: workspace,
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join("runs.json")
    }

    /// What is kept, if anything; what is kept of another repository that was in the same place is nothing.
    ///
    /// # Errors
    /// When it cannot be read: it is left as it is.
    pub(super) fn read(&self) -> Result<Option<Runs>, Failure> {
        let runs: Option<Runs> =
            read_document(&self.path(), SCHEMA_VERSION, MAX_BYTES).map_err(Error::from)?;
        let is_ours = |runs: &Runs| match (self.of, &runs.repo) {
            (Some(workspace), Some(owner)) => workspace.repo().check_owner(owner).is_ok(),
            (None, None) => true,
            _ => false,
        };
        Ok(runs.filter(is_ours))
    }

    /// Keeps `results`, and what the gates said of them. Beside them stays what was found of sample repositories that were not measured now,
    /// and what gates said before of all that is shown as it was.
    ///
    /// # Errors
    /// When it cannot be written, another process holds the lock, or what is there cannot be read: nothing is lost then.
    pub(super) fn keep(&self, results: &Results, checked: Option<&Checked>) -> Result<(), Failure> {
        let _lock = Lock::acquire(&self.folder.join("lock"), PATIENCE, &environment().holder)
            .map_err(Error::from)?;
        let before = self.read()?;
        let owner = before.as_ref().and_then(|runs| runs.repo.as_ref());
        let repo = self.of.map(|workspace| workspace.repo().owner(owner));
        let mut history = History::default();
        let (mut all, mut said) = (results.clone(), checked.cloned());
        if let Some(before) = before {
            history = before.history;
            let earlier = before.checked.unwrap_or_default();
            let both = Checked::beside(said, results, earlier, &before.results);
            said = (checked.is_some() || both != Checked::default()).then_some(both);
            if self.of.is_none() {
                all = results.beside(before.results);
            }
        }
        history.add(results);
        let runs = Runs {
            schema_version: SCHEMA_VERSION,
            repo,
            results: all,
            checked: said,
            history,
        };
        let text = serde_json::to_vec(&runs).map_err(|error| Error::Internal(error.to_string()))?;
        write_atomic(&self.path(), &text, Durability::Relaxed).map_err(Error::from)?;
        Ok(())
    }
}
