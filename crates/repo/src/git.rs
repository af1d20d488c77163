//! Git, asked through its command line, and kept from running anything the repository says.
//!
//! A repository can name programs in its configuration and attributes: hooks, filters, diff drivers,
//! pagers, monitors, helpers for the network. None of them is ever run. Settings of the user and the machine
//! do not count, so that answers are the same for everybody, but for two: how line ends are written at
//! check-out, and which folders of other users are trusted. Git itself keeps its own check of who owns the
//! repository.

mod blame;
mod changes;
mod command;
mod error;
mod history;
mod objects;
mod past;
mod query;
mod revision;
mod settings;
mod steps;
mod worktrees;

use std::time::Duration;

use serde::Serialize;
use windlass_base::Cancel;

use crate::Repo;

pub use blame::LineWriter;
pub use changes::{ChangeStatus, Changes, FileChange};
pub use error::GitError;
pub use history::Commit;
pub(crate) use objects::{Object, Objects};
pub(crate) use past::{Rename, Tree, full_id};
pub use query::{GitAnswer, GitQuery};
pub use steps::{BlobAt, BlobChange, CommitStep};
pub use worktrees::Worktree;

/// How long git may take, unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Git's command line for one working tree. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Git {
    repo: Repo,
    timeout: Duration,
    cancel: Cancel,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Head {
    /// The commit; `None` before the first one.
    pub commit: Option<String>,
    /// The branch, without `refs/heads/`; `None` when none is checked out.
    pub branch: Option<String>,
    /// Whether no branch is checked out.
    pub detached: bool,
    /// Whether the branch has no commit yet.
    pub unborn: bool,
}

impl Git {
    pub(crate) fn new(repo: Repo) -> Self {
        Self {
            repo,
            timeout: TIMEOUT,
            cancel: Cancel::default(),
        }
    }

    /// Ends git when it takes longer than `timeout`; 60 s without this.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Ends git when `cancel` is called.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// What is checked out. During a rebase no branch is.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn head(&self) -> Result<Head, GitError> {
        let branch = self
            .command("symbolic-ref")
            .args(["--quiet", "HEAD"])
            .accept(1)
            .run()?;
        let branch = branch.success().then(|| {
            let name = branch.text();
            let name = name.trim_end();
            name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
        });
        let commit = self.commit_id("HEAD")?;
        Ok(Head {
            detached: branch.is_none(),
            unborn: commit.is_none(),
            commit,
            branch,
        })
    }
}
