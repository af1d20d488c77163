use std::io;
use std::time::Duration;

use windlass_base::{Redacted, RepoPath};

/// Prefixes of git's messages about a missing revision. This happens in a shallow clone and after
/// history was rewritten.
const NO_REVISION: [&str; 5] = [
    "fatal: Invalid revision range",
    "fatal: bad revision",
    "fatal: bad object",
    "fatal: ambiguous argument",
    "fatal: Not a valid",
];

impl GitError {
    /// True if git works and merely lacks the requested revision. Such a failure isn't worth
    /// reporting.
    pub(crate) fn is_about_a_revision(&self) -> bool {
        match self {
            Self::Failed { message, .. } => NO_REVISION
                .iter()
                .any(|said| message.as_str().starts_with(said)),
            _ => false,
        }
    }
}

/// A failed git call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Git is not installed.
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
        /// Git's message, without secret values and the repository's location.
        message: Redacted,
    },
    /// The repository belongs to another user, who could make git run programs.
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
    /// The folder's `.git` names a git folder that may belong to another working tree.
    #[error(
        "git is not run: `.git` leads to a git folder that does not name this folder as its working tree; if it is, run `git config core.worktree \"$PWD\"` here, or `git worktree repair` in a linked worktree that was moved"
    )]
    NotItsWorktree,
    /// Git exceeded its time limit.
    #[error("`git {command}` took longer than {} s and was ended; try again, or narrow the query", limit.as_secs_f32())]
    Timeout {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// The time limit.
        limit: Duration,
    },
    /// The caller cancelled the call.
    #[error("`git {command}` was stopped")]
    Cancelled {
        /// The git subcommand, such as `log`.
        command: &'static str,
    },
    /// Git printed more than the output limit.
    #[error("`git {command}` printed more than {limit} bytes; narrow the query")]
    TooMuchOutput {
        /// The git subcommand, such as `log`.
        command: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// Git printed unexpected output.
    #[error("`git {command}` printed something unexpected; windlass needs git 2.32 or newer")]
    Unexpected {
        /// The git subcommand, such as `log`.
        command: &'static str,
    },
    /// The text isn't a possible revision name.
    #[error("`{0}` is not a revision: give a commit, a branch or a tag")]
    NotARevision(String),
    /// The repository does not have this revision.
    #[error(
        "unknown revision `{0}`: check the name, or fetch it (a shallow clone lacks older commits)"
    )]
    UnknownRevision(String),
    /// The commit of `HEAD` cannot be read.
    #[error("the commit of `HEAD` is missing or damaged: run `git fsck` in the repository")]
    NoHeadCommit,
    /// The repository has no commit yet.
    #[error("unknown revision `{0}`: this repository has no commit yet")]
    NoCommits(String),
    /// The path isn't a file in the commit.
    #[error("`{0}` is not a file of a commit: give the path of a file")]
    NotAFile(RepoPath),
}
