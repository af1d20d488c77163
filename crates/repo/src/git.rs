//! Git, asked through its command line, and kept from running anything the repository says.
//!
//! A repository can name programs in its configuration and attributes: hooks, filters, diff drivers,
//! pagers, monitors, helpers for the network. None of them is ever run. Settings of the user and the machine
//! do not count, so that answers are the same for everybody, but for two: how line ends are written at
//! check-out, and which folders of other users are trusted. Git itself keeps its own check of who owns the
//! repository.

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

/// How long git may take, unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Git's command line for one working tree. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Git {
    place: Arc<GitPlace>,
    timeout: Duration,
    cancel: Cancel,
    /// Settings that keep git from running what the repository says, once they were asked for.
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

    /// Names of commits, and what is checked out.
    #[must_use]
    pub fn revisions(&self) -> Revisions<'_> {
        Revisions(self)
    }

    /// Commits, and what each did.
    #[must_use]
    pub fn commits(&self) -> Commits<'_> {
        Commits(self)
    }

    /// The files that commits have.
    #[must_use]
    pub fn commit_files(&self) -> CommitFiles<'_> {
        CommitFiles(self)
    }

    /// The commits that lines come from.
    #[must_use]
    pub fn blame(&self) -> Blame<'_> {
        Blame(self)
    }

    /// The working tree, compared with what git keeps.
    #[must_use]
    pub fn working_tree(&self) -> WorkingTree<'_> {
        WorkingTree(self)
    }

    /// True if history is cut off somewhere, as in a shallow clone.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.place.common_dir.join("shallow").exists()
    }

    /// Notes that a call failed, so that it is reported wherever a caller goes on without an answer.
    pub(crate) fn note_failure(&self, error: &GitError) {
        self.place.failures.note(error);
    }
}
