use std::collections::BTreeSet;

use windlass_base::RepoPath;

use super::{GitError, WorkingTree};

impl WorkingTree<'_> {
    /// Lists the tracked files that a sparse checkout excludes from the working tree. If the
    /// repository has never had one, this does not run git.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub(crate) fn left_out(&self) -> Result<BTreeSet<RepoPath>, GitError> {
        /// File with the patterns of a sparse checkout, relative to the git folder of the working
        /// tree.
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
