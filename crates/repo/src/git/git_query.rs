use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use super::{Changes, Commit, Git, GitError, Head, Worktree};

/// Git query that can be recorded and repeated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "show", rename_all = "snake_case")]
pub enum GitQuery {
    /// [`Revisions::head`](super::Revisions::head).
    Head,
    /// [`Commits::log`](super::Commits::log).
    Log {
        /// Revision or range (default: `HEAD`).
        range: Option<String>,
        /// Only commits that touch one of these paths. If empty, all commits.
        paths: Vec<RepoPath>,
        /// Maximum number of commits.
        limit: u32,
    },
    /// [`WorkingTree::changes_since`](super::WorkingTree::changes_since).
    Changes {
        /// Revision to compare with.
        since: String,
    },
    /// [`Git::worktrees`].
    Worktrees,
}

/// Answer to a [`GitQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "show", content = "answer", rename_all = "snake_case")]
pub enum GitAnswer {
    /// Commit and branch that are checked out.
    Head(Head),
    /// Commits, newest first.
    Log(Vec<Commit>),
    /// Files that changed since a commit.
    Changes(Changes),
    /// Working trees of the repository.
    Worktrees(Vec<Worktree>),
}

impl GitAnswer {
    /// Returns the BLAKE3 digest of the canonical JSON. Equal answers have equal digests, wherever the repository is.
    /// Returns `None` if there is no such form (a commit dated beyond the year 285 million).
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        Digest::of_json(self).ok()
    }
}

impl Git {
    /// Runs `query`. A recorded answer can be checked by running its query again and comparing the digests.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn ask(&self, query: &GitQuery) -> Result<GitAnswer, GitError> {
        Ok(match query {
            GitQuery::Head => GitAnswer::Head(self.revisions().head()?),
            GitQuery::Log {
                range,
                paths,
                limit,
            } => GitAnswer::Log(self.commits().log(range.as_deref(), paths, *limit)?),
            GitQuery::Changes { since } => {
                GitAnswer::Changes(self.working_tree().changes_since(since)?)
            }
            GitQuery::Worktrees => GitAnswer::Worktrees(self.worktrees()?),
        })
    }
}
