use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use super::{Changes, Commit, Git, GitError, Head, Worktree};

/// A question that git can be asked, so that it can be recorded and asked again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "show", rename_all = "snake_case")]
pub enum GitQuery {
    /// [`Revisions::head`](super::Revisions::head).
    Head,
    /// [`Commits::log`](super::Commits::log).
    Log {
        /// The revisions; what is checked out if not said.
        range: Option<String>,
        /// Only what touches these; everything if empty.
        paths: Vec<RepoPath>,
        /// How many commits.
        limit: u32,
    },
    /// [`WorkingTree::changes_since`](super::WorkingTree::changes_since).
    Changes {
        /// The revision.
        since: String,
    },
    /// [`Git::worktrees`].
    Worktrees,
}

/// An answer of git.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "show", content = "answer", rename_all = "snake_case")]
pub enum GitAnswer {
    /// What is checked out.
    Head(Head),
    /// Commits, the newest first.
    Log(Vec<Commit>),
    /// The files that differ.
    Changes(Changes),
    /// The working trees.
    Worktrees(Vec<Worktree>),
}

impl GitAnswer {
    /// BLAKE3 of its canonical JSON: equal for equal answers, wherever the repository lies. `None` when it has
    /// no such form (a commit dated beyond the year 285 million).
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        Digest::of_json(self).ok()
    }
}

impl Git {
    /// Asks `query`. To learn whether a recorded answer still holds, ask again and compare digests.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
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
