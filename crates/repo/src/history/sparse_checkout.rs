//! Tracked files excluded from the working tree by a sparse checkout.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use windlass_base::RepoPath;

use crate::snapshot::Snapshot;

/// The files excluded by a sparse checkout. They're cached with the snapshot, and empty if git
/// fails.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<OnceLock<BTreeSet<RepoPath>>>);

impl LeftOut {
    /// Returns the excluded files of `snapshot`.
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

    /// True if the file at `path` is tracked and excluded from the working tree.
    #[must_use]
    pub fn contains(&self, path: &RepoPath) -> bool {
        self.0.get().is_some_and(|files| files.contains(path))
    }

    /// True if no file is excluded. If a file is missing from the working tree then, it doesn't
    /// exist at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.get().is_none_or(BTreeSet::is_empty)
    }
}
