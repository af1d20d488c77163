use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use super::{Changes, Commit, Git, GitError, Head, Worktree};

/// A git query that can be recorded and repeated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "show", rename_all = "snake_case")]
pub enum GitQuery {
    /// [`Revisions::head`](super::Revisions::head).
    Head,
    /// [`Commits::log`](super::Commits::log).
    Log {
        /// The revision or range (default: `HEAD`).
        range: Option<String>,
        /// Paths of which a commit must touch at least one. If empty, all commits are returned.
        paths: Vec<RepoPath>,
        /// Maximum number of commits.
        limit: u32,
    },
    /// [`WorkingTree::changes_since`](super::WorkingTree::changes_since).
    Changes {
        /// The revision to compare with.
        since: String,
    },
    /// [`Git::worktrees`].
    Worktrees,
}

/// The answer to a [`GitQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "show", content = "answer", rename_all = "snake_case")]
pub enum GitAnswer {
    /// The checked-out commit and branch.
    Head(Head),
    /// Commits, newest first.
    Log(Vec<Commit>),
    /// The files changed since a commit.
    Changes(Changes),
    /// The repository's working trees.
    Worktrees(Vec<Worktree>),
}

impl GitAnswer {
    /// Returns the BLAKE3 digest of the canonical JSON. Equal answers have equal digests, wherever
    /// the repository is. A commit dated beyond the year 285 million has no canonical JSON, so the
    /// result is `None`.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        Digest::of_json(self).ok()
    }
}

impl Git {
    /// Runs `query`. To check a recorded answer, run its query again and compare the digests.
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
