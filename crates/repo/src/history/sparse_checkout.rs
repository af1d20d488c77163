//! Tracked files that are not in the working tree because of a sparse checkout.
//!
//! Without this, they would look like deleted files, and every anchor in them like a lost one.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use windlass_base::RepoPath;

use crate::snapshot::Snapshot;

/// The files that a sparse checkout excludes, cached with the snapshot. If git fails, there seem to
/// be none, and callers take an excluded file for a deleted one.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<OnceLock<BTreeSet<RepoPath>>>);

impl LeftOut {
    /// Looks up the excluded files of `snapshot`. Only the first call asks git.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let left_out = Self::clone(&snapshot.kept::<Self>());
        left_out.0.get_or_init(|| {
            let git = snapshot.repo().git();
            git.and_then(|git| git.working_tree().left_out())
                .unwrap_or_default()
        });
        left_out
    }

    /// Returns true if `path` is tracked but excluded from the working tree.
    #[must_use]
    pub fn contains(&self, path: &RepoPath) -> bool {
        self.0.get().is_some_and(|files| files.contains(path))
    }

    /// Returns true if no file is excluded. If a file is not in the working tree then, it does not
    /// exist at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.get().is_none_or(BTreeSet::is_empty)
    }
}
