//! Parameters and failures of the git calls for a working tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::GitError;
use super::git_layout::GitLayout;

/// Parameters of git calls for one working tree.
#[derive(Debug)]
pub(crate) struct GitPlace {
    /// Root of the working tree.
    pub(super) root: PathBuf,
    /// Git folder of the working tree.
    pub(super) git_dir: PathBuf,
    /// Git folder shared by all working trees.
    pub(crate) common_dir: PathBuf,
    /// See [`crate::RepoOptions::environment`].
    pub(super) environment: Option<Arc<BTreeMap<String, OsString>>>,
    pub(crate) failures: GitFailures,
}

impl GitPlace {
    /// Creates the parameters. `layout` must be the layout of the working tree at `root`, and must be mutual.
    pub(crate) fn new(
        root: PathBuf,
        layout: &GitLayout,
        environment: Option<Arc<BTreeMap<String, OsString>>>,
    ) -> Self {
        Self {
            root,
            git_dir: layout.git_dir.clone(),
            common_dir: layout.common_dir.clone(),
            environment,
            failures: GitFailures::default(),
        }
    }
}

/// Messages of the failed git calls that were not reported yet.
#[derive(Debug, Default)]
pub(crate) struct GitFailures(Mutex<BTreeSet<String>>);

impl GitFailures {
    /// Records a failure here and in the log.
    pub(super) fn note(&self, error: &GitError) {
        tracing::debug!(%error, "git failed");
        if matches!(error, GitError::Cancelled { .. }) || error.is_about_a_revision() {
            return;
        }
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.insert(error.to_string());
    }

    /// Returns the failures since the last call, sorted.
    pub(crate) fn take(&self) -> BTreeSet<String> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *failures)
    }
}
