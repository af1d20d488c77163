//! Files that git tracks and a sparse checkout leaves out of the working tree.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use windlass_base::RepoPath;

use crate::snapshot::Snapshot;

/// The files that a sparse checkout leaves out; none where git cannot say. Kept with the state of the files.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<OnceLock<BTreeSet<RepoPath>>>);

impl LeftOut {
    /// Those of `snapshot`.
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

    /// True if the file at `path` is left out: git tracks it, and it is not in the working tree.
    #[must_use]
    pub fn contains(&self, path: &RepoPath) -> bool {
        self.0.get().is_some_and(|files| files.contains(path))
    }

    /// True if no file is left out: what is not in the working tree stands nowhere then.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.get().is_none_or(BTreeSet::is_empty)
    }
}
