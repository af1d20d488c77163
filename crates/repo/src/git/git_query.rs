//! Git queries in the form of data, so that a snapshot can cache and record them.

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use super::{Changes, Commit, Git, GitError, Head, Worktree};

/// A git query that can be recorded and repeated later (see [`Git::ask`]).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "show", rename_all = "snake_case")]
pub enum GitQuery {
    /// [`Revisions::head`](super::Revisions::head).
    Head,
    /// [`Commits::log`](super::Commits::log).
    Log {
        /// Revision or range, e.g. `v1..HEAD` (default: `HEAD`).
        range: Option<String>,
        /// Paths of interest, or none for all commits. Commits without changes there are skipped.
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
    /// Returns the BLAKE3 digest of the canonical JSON.
    ///
    /// Equal answers have equal digests, no matter where the repository is. There are a few answers
    /// without canonical JSON, e.g. with a commit dated beyond the year 285 million, and this
    /// returns `None` for those.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        Digest::of_json(self).ok()
    }
}

impl Git {
    /// Runs `query`. To check a recorded answer, ask again and compare the digests.
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
