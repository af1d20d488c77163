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
mod filters;
mod history;
mod left_out;
mod neutral;
mod objects;
mod past;
mod program;
mod query;
mod revision;
mod settings;
mod steps;
mod tree;
mod worktrees;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use windlass_base::Cancel;

use self::settings::Overrides;
use crate::Repo;

pub use blame::LineWriter;
pub use changes::{ChangeStatus, Changes, FileChange};
pub use error::GitError;
pub use history::Commit;
pub(crate) use objects::{Object, Objects};
pub(crate) use past::{Rename, full_id};
pub use query::{GitAnswer, GitQuery};
pub use steps::{BlobAt, BlobChange, CommitStep};
pub(crate) use tree::{Tree, TreeEntry};
pub use worktrees::Worktree;

/// How long git may take, unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Git's command line for one working tree. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Git {
    repo: Repo,
    timeout: Duration,
    cancel: Cancel,
    /// Settings that keep git from running what the repository says, once they were asked for.
    overrides: Arc<OnceLock<Overrides>>,
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
            overrides: Arc::default(),
        }
    }

    pub(crate) fn repo(&self) -> &Repo {
        &self.repo
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
        if let Some(head) = self.born_head()? {
            return Ok(head);
        }
        let branch = self
            .command("symbolic-ref")
            .args(["--quiet", "HEAD"])
            .accept(1)
            .run()?;
        let branch = branch
            .success()
            .then(|| branch_of(branch.text().trim_end()));
        let commit = self.checked_out_commit()?;
        Ok(Head {
            detached: branch.is_none(),
            unborn: commit.is_none(),
            commit,
            branch,
        })
    }

    /// The commit of `HEAD`; `None` before the first commit, and only then.
    ///
    /// # Errors
    /// When git cannot be run or refuses, and when `HEAD` names a commit that is missing or damaged.
    pub(super) fn checked_out_commit(&self) -> Result<Option<String>, GitError> {
        let commit = self.commit_id("HEAD")?;
        if commit.is_none() {
            let named = self
                .command("rev-parse")
                .args(["--verify", "--quiet", "HEAD"]);
            if named.accept(1).run()?.success() {
                let error = GitError::NoHeadCommit;
                self.repo.note_git_failure(&error);
                return Err(error);
            }
        }
        Ok(commit)
    }

    /// What is checked out, where there is a commit: that can be asked at once.
    fn born_head(&self) -> Result<Option<Head>, GitError> {
        const NOT_A_REVISION: i32 = 128;
        let output = self
            .command("rev-parse")
            .args(["HEAD^{commit}", "--symbolic-full-name", "HEAD"])
            .accept(NOT_A_REVISION)
            .run()?;
        let text = output.text();
        let mut lines = text.lines();
        let (Some(commit), Some(name), None) = (lines.next(), lines.next(), lines.next()) else {
            return Ok(None);
        };
        let commit = full_id(commit).filter(|_| output.success());
        Ok(commit.map(|commit| Head {
            detached: name == "HEAD",
            unborn: false,
            commit: Some(commit.to_owned()),
            branch: (name != "HEAD").then(|| branch_of(name)),
        }))
    }
}

fn branch_of(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}
