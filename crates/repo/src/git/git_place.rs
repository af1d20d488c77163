//! Folder in which git runs, and the errors there so far.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::GitError;
use super::git_layout::GitLayout;

#[derive(Debug)]
pub(crate) struct GitPlace {
    /// Root of the working tree.
    pub(super) root: PathBuf,
    /// Git folder of this working tree.
    pub(super) git_dir: PathBuf,
    /// Git folder shared by all working trees.
    pub(crate) common_dir: PathBuf,
    /// See [`crate::RepoOptions::environment`].
    pub(super) environment: Option<Arc<BTreeMap<String, OsString>>>,
    pub(crate) failures: GitFailures,
}

impl GitPlace {
    /// Prepares git calls in the working tree `root`. The layout must be mutual, since git must not
    /// run otherwise.
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

/// Messages of failed git calls that the user has not seen yet.
#[derive(Debug, Default)]
pub(crate) struct GitFailures(Mutex<BTreeSet<String>>);

impl GitFailures {
    /// Logs a failure. It is also recorded for the user, unless the call was cancelled or the
    /// revision just does not exist.
    pub(super) fn note(&self, error: &GitError) {
        tracing::debug!(%error, "git failed");
        if matches!(error, GitError::Cancelled { .. }) || error.is_about_a_revision() {
            return;
        }
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.insert(error.to_string());
    }

    /// Returns the failures since the last call of this function, sorted. The set also removes
    /// duplicates: git often fails in the same way many times.
    pub(crate) fn take(&self) -> BTreeSet<String> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *failures)
    }
}
