//! Files that git tracks and a sparse checkout leaves out of the working tree.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use windlass_base::RepoPath;

use crate::Snapshot;

/// Kept with the state of the files, once it was asked for.
#[derive(Default)]
struct LeftOut(OnceLock<BTreeSet<RepoPath>>);

impl Snapshot {
    /// Whether a sparse checkout leaves the file at `path` out: git tracks it, and it is not in the working tree.
    #[must_use]
    pub fn leaves_out(&self, path: &RepoPath) -> bool {
        self.of_left_out(|files| files.contains(path))
    }

    /// Whether a sparse checkout leaves any file out, so that what is not in the working tree may stand there all the same.
    #[must_use]
    pub fn leaves_files_out(&self) -> bool {
        self.of_left_out(|files| !files.is_empty())
    }

    /// What `tell` says of the files that are left out; of none where git cannot say.
    fn of_left_out(&self, tell: impl FnOnce(&BTreeSet<RepoPath>) -> bool) -> bool {
        let left_out = self.kept::<LeftOut>();
        let files = left_out.0.get_or_init(|| {
            let git = self.repo().git();
            git.and_then(|git| git.left_out()).unwrap_or_default()
        });
        tell(files)
    }
}
