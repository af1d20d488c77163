use std::collections::BTreeSet;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{Changes, FileChange, Git, GitAnswer, GitError, GitQuery, Refusal, Snapshot};
use windlass_site::Error;

/// The files that differ from the base. A renamed file is in here with both of its names.
pub(crate) struct Change {
    /// The commit to compare with. `None` before the first commit.
    pub(crate) base: Option<String>,
    pub(crate) files: BTreeSet<RepoPath>,
    pub(crate) count: usize,
    pub(crate) not_utf8: u32,
}

impl Change {
    /// Compares the working tree with the merge base of `HEAD` and `revision`.
    pub(crate) fn of(
        git: &Git,
        snapshot: &Snapshot,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<Self, GitError> {
        let base = match git.revisions().merge_base(revision, "HEAD") {
            Ok(Some(commit)) => Some(commit),
            // The histories have nothing in common, so compare with the revision itself.
            Ok(None) => git.revisions().commit_id(revision)?,
            Err(GitError::NoCommits(name)) if name == "HEAD" => None,
            Err(error) => return Err(error),
        };
        let since = base.clone().unwrap_or_else(|| "HEAD".to_owned());
        let query = GitQuery::Changes { since };
        let none = Changes::default();
        let answer = snapshot.ask_git(&query, cancel)?;
        let changes = match &*answer {
            GitAnswer::Changes(changes) => changes,
            _ => &none,
        };
        let both =
            |change: &FileChange| std::iter::once(change.path.clone()).chain(change.from.clone());
        Ok(Self {
            base,
            count: changes.files.len(),
            not_utf8: changes.not_utf8,
            files: changes.files.iter().flat_map(both).collect(),
        })
    }

    /// Limits the change to the `named` files and folders, if there are any. Each of them must
    /// exist, or be part of the change.
    pub(crate) fn only(mut self, named: &[RepoPath], snapshot: &Snapshot) -> Result<Self, Error> {
        if named.is_empty() {
            return Ok(self);
        }
        let changed = |named: &RepoPath| self.files.iter().any(|file| file.is_under(named));
        let is_there = |named: &RepoPath| snapshot.read(named).err() != Some(Refusal::Missing);
        if let Some(nowhere) = named
            .iter()
            .find(|named| !changed(named) && !is_there(named))
        {
            return Err(Error::missing(nowhere.as_str()));
        }
        self.files
            .retain(|file| named.iter().any(|named| file.is_under(named)));
        self.count = self.files.len();
        self.not_utf8 = 0;
        Ok(self)
    }

    /// True if `file` has changed, or was renamed to or from this name.
    pub(crate) fn touches(&self, file: &RepoPath) -> bool {
        self.files.contains(file)
    }
}
