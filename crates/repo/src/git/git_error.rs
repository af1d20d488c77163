//! Errors of git calls, with the remedy in their `Display` text.

use std::io;
use std::time::Duration;

use windlass_base::{Redacted, RepoPath};

/// Prefixes of git's messages about a missing revision. In a shallow clone or after rewriting the
/// history, it is normal for revisions to be missing.
const NO_REVISION: [&str; 5] = [
    "fatal: Invalid revision range",
    "fatal: bad revision",
    "fatal: bad object",
    "fatal: ambiguous argument",
    "fatal: Not a valid",
];

impl GitError {
    /// True if git works and merely lacks the revision, which is not worth a report.
    ///
    /// This relies on the wording of git's messages. If a future version of git changes them, the
    /// user gets a report too many, which would be a nuisance but nothing worse.
    pub(crate) fn is_about_a_revision(&self) -> bool {
        match self {
            Self::Failed { message, .. } => NO_REVISION
                .iter()
                .any(|said| message.as_str().starts_with(said)),
            _ => false,
        }
    }
}

/// Reason why a git call failed. The `Display` text includes the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Git is not on the `PATH`.
    #[error("`git` was not found on the PATH: install git, or add its folder to PATH")]
    NotInstalled,
    /// Git cannot be started, or its output cannot be read.
    #[error("cannot run `git {command}`: {cause}; check that `git --version` works here")]
    Io {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// The error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// Git exited with an error.
    #[error("`git {command}` failed: {message}; run it in the repository to see more")]
    Failed {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// Git's message, without secrets and without the location of the repository.
        message: Redacted,
    },
    /// The repository belongs to another user, who could make git run programs. Git itself refuses
    /// to work there unless the folder is trusted.
    #[error(
        "`git {command}` refuses to work here: the repository belongs to another user; if you trust them, run `git config --global --add safe.directory FOLDER`, where FOLDER is its root"
    )]
    OtherOwner {
        /// The git subcommand, such as `log`.
        command: &'static str,
    },
    /// The folder is not in a git repository.
    #[error("this folder is not in a git repository")]
    NotARepository,
    /// `.git` leads to a git folder that does not name this working tree. The folder may belong to
    /// another one, so we do not run git.
    #[error(
        "git is not run: `.git` leads to a git folder that does not name this folder as its working tree; if it is, run `git config core.worktree \"$PWD\"` here, or `git worktree repair` in a linked worktree that was moved"
    )]
    NotItsWorktree,
    /// Git exceeded its time limit.
    #[error("`git {command}` took longer than {} s and was ended; try again, or narrow the query", limit.as_secs_f32())]
    Timeout {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// The exceeded limit.
        limit: Duration,
    },
    /// The caller cancelled the call.
    #[error("`git {command}` was stopped")]
    Cancelled {
        /// The git subcommand, such as `log`.
        command: &'static str,
    },
    /// Git printed more than we are willing to keep in memory.
    #[error("`git {command}` printed more than {limit} bytes; narrow the query")]
    TooMuchOutput {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// We cannot parse git's output, most likely because git is too old.
    #[error("`git {command}` printed something unexpected; windlass needs git 2.32 or newer")]
    Unexpected {
        /// The git subcommand, such as `log`.
        command: &'static str,
    },
    /// The text cannot be a revision, e.g. because it looks like an option.
    #[error("`{0}` is not a revision: give a commit, a branch or a tag")]
    NotARevision(String),
    /// The repository does not have this revision.
    #[error(
        "unknown revision `{0}`: check the name, or fetch it (a shallow clone lacks older commits)"
    )]
    UnknownRevision(String),
    /// The commit of `HEAD` is missing or damaged.
    #[error("the commit of `HEAD` is missing or damaged: run `git fsck` in the repository")]
    NoHeadCommit,
    /// The repository contains no commit yet.
    #[error("unknown revision `{0}`: this repository has no commit yet")]
    NoCommits(String),
    /// The path is the root, which is not a file in any commit.
    #[error("`{0}` is not a file of a commit: give the path of a file")]
    NotAFile(RepoPath),
}
