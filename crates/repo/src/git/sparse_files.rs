use std::collections::BTreeSet;

use windlass_base::RepoPath;

use super::{GitError, WorkingTree};

impl WorkingTree<'_> {
    /// Returns the tracked files excluded from the working tree by a sparse checkout. If the
    /// repository has never had one, the result is empty and git isn't run.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub(crate) fn left_out(&self) -> Result<BTreeSet<RepoPath>, GitError> {
        /// Path of the sparse checkout patterns, in the working tree's git folder.
        const PATTERNS: &str = "info/sparse-checkout";
        let place = &self.0.place;
        let folders = [&place.git_dir, &place.common_dir];
        if !folders.iter().any(|folder| folder.join(PATTERNS).exists()) {
            return Ok(BTreeSet::new());
        }
        let output = self.0.command("ls-files").args(["-t", "-z"]).run()?;
        let name = |part: &[u8]| {
            let name = part.strip_prefix(b"S ")?;
            RepoPath::parse(std::str::from_utf8(name).ok()?).ok()
        };
        Ok(output.parts().filter_map(name).collect())
    }
}
