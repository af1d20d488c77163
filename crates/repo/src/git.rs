//! Runs git's command line without executing anything configured by the repository.
//!
//! A repository can name programs in its configuration and attributes: hooks, filters, diff
//! drivers, pagers, monitors and network helpers. The reader of a downloaded repository has not
//! agreed to run any of them, so every call disables them all. Git's own check of the repository's
//! owner stays in force.
//!
//! The settings of the user and of the machine are ignored too, so that everybody gets the same
//! answers, with two exceptions. Without the line endings at checkout, every file might look
//! changed. Without the user's list of trusted folders, git would refuse repositories of other
//! users.

mod blame;
mod commit_files;
mod commit_log;
mod commit_steps;
mod commit_tree;
mod git_command;
mod git_error;
mod git_filters;
mod git_layout;
mod git_objects;
pub mod git_output;
mod git_place;
mod git_program;
mod git_query;
mod git_settings;
mod neutral_settings;
mod object_id;
mod revisions;
mod sparse_files;
mod working_tree;
mod worktrees;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use windlass_base::Cancel;

use self::git_command::Overrides;

pub use blame::{Blame, LineWriter};
pub use commit_files::CommitFiles;
pub(crate) use commit_log::Rename;
pub use commit_log::{Commit, Commits};
pub use commit_steps::{BlobAt, BlobChange, CommitStep};
pub(crate) use commit_tree::{Tree, TreeEntry};
pub use git_error::GitError;
pub(crate) use git_layout::GitLayout;
pub(crate) use git_objects::{Object, Objects};
pub(crate) use git_place::GitPlace;
pub use git_query::{GitAnswer, GitQuery};
pub(crate) use object_id::full_id;
pub use revisions::{Head, Revisions};
pub use working_tree::{ChangeStatus, Changes, FileChange, WorkingTree};
pub use worktrees::Worktree;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs git's command line in one working tree. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Git {
    place: Arc<GitPlace>,
    timeout: Duration,
    cancel: Cancel,
    /// Settings that disable the repository's programs. Looked up on first use.
    overrides: Arc<OnceLock<Overrides>>,
}

impl Git {
    pub(crate) fn new(place: Arc<GitPlace>) -> Self {
        Self {
            place,
            timeout: TIMEOUT,
            cancel: Cancel::default(),
            overrides: Arc::default(),
        }
    }

    /// Sets the time limit for each call (default: 60 seconds).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Stops running calls when `cancel` is triggered.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Returns queries about revisions and `HEAD`.
    #[must_use]
    pub fn revisions(&self) -> Revisions<'_> {
        Revisions(self)
    }

    /// Returns queries about commits and their changes.
    #[must_use]
    pub fn commits(&self) -> Commits<'_> {
        Commits(self)
    }

    /// Returns queries about the files of commits.
    #[must_use]
    pub fn commit_files(&self) -> CommitFiles<'_> {
        CommitFiles(self)
    }

    /// Returns queries about the origin of lines.
    #[must_use]
    pub fn blame(&self) -> Blame<'_> {
        Blame(self)
    }

    /// Returns queries comparing the working tree with the index and commits.
    #[must_use]
    pub fn working_tree(&self) -> WorkingTree<'_> {
        WorkingTree(self)
    }

    /// Returns true if the history is incomplete, as in a shallow clone.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.place.common_dir.join("shallow").exists()
    }

    /// Records a failed call for the report, even if the caller carries on without an answer.
    pub(crate) fn note_failure(&self, error: &GitError) {
        self.place.failures.note(error);
    }
}
