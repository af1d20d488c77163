//! Parameters and failures of the git calls in a working tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::GitError;
use super::git_layout::GitLayout;

/// Parameters of the git calls in a working tree.
#[derive(Debug)]
pub(crate) struct GitPlace {
    /// The working tree's root.
    pub(super) root: PathBuf,
    /// The working tree's git folder.
    pub(super) git_dir: PathBuf,
    /// The git folder shared by all working trees.
    pub(crate) common_dir: PathBuf,
    /// See [`crate::RepoOptions::environment`].
    pub(super) environment: Option<Arc<BTreeMap<String, OsString>>>,
    pub(crate) failures: GitFailures,
}

impl GitPlace {
    /// Creates the parameters from the layout of the working tree at `root`. The layout must be
    /// mutual.
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

/// Messages of failed git calls we haven't reported yet.
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

    /// Returns the failures recorded since the last call, sorted.
    pub(crate) fn take(&self) -> BTreeSet<String> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *failures)
    }
}
