//! The working tree that git is asked about, and its calls that failed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::GitError;
use super::git_layout::GitLayout;

/// What git has to know to work here.
#[derive(Debug)]
pub(crate) struct GitPlace {
    /// The root of the working tree.
    pub(super) root: PathBuf,
    /// The folder of the working tree.
    pub(super) git_dir: PathBuf,
    /// The folder that all working trees share.
    pub(crate) common_dir: PathBuf,
    /// See [`crate::RepoOptions::environment`].
    pub(super) environment: Option<Arc<BTreeMap<String, OsString>>>,
    pub(crate) failures: GitFailures,
}

impl GitPlace {
    /// `layout` is that of the working tree at `root`, and says so itself.
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

/// Messages of calls of git that failed, until they are taken.
#[derive(Debug, Default)]
pub(crate) struct GitFailures(Mutex<BTreeSet<String>>);

impl GitFailures {
    /// Notes a failure here and in the log.
    pub(super) fn note(&self, error: &GitError) {
        tracing::debug!(%error, "git failed");
        if matches!(error, GitError::Cancelled { .. }) || error.is_about_a_revision() {
            return;
        }
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.insert(error.to_string());
    }

    /// Those since the last call of this, sorted.
    pub(crate) fn take(&self) -> BTreeSet<String> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *failures)
    }
}
