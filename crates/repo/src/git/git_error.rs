use std::io;
use std::time::Duration;

use windlass_base::{Redacted, RepoPath};

/// Beginnings of what git says of a revision that the repository does not have, as a shallow clone or a rewritten history.
const NO_REVISION: [&str; 5] = [
    "fatal: Invalid revision range",
    "fatal: bad revision",
    "fatal: bad object",
    "fatal: ambiguous argument",
    "fatal: Not a valid",
];

impl GitError {
    /// True if git works, and the repository merely lacks what was asked for.
    pub(crate) fn is_about_a_revision(&self) -> bool {
        match self {
            Self::Failed { message, .. } => NO_REVISION
                .iter()
                .any(|said| message.as_str().starts_with(said)),
            _ => false,
        }
    }
}

/// The reason why git gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no git.
    #[error("`git` was not found on the PATH: install git, or add its folder to PATH")]
    NotInstalled,
    /// It cannot be started, or its output cannot be read.
    #[error("cannot run `git {command}`: {cause}; check that `git --version` works here")]
    Io {
        /// The subcommand.
        command: &'static str,
        /// What the operating system said.
        #[source]
        cause: io::Error,
    },
    /// It refused.
    #[error("`git {command}` failed: {message}; run it in the repository to see more")]
    Failed {
        /// The subcommand.
        command: &'static str,
        /// What git said, with secret values redacted and without the place of the repository.
        message: Redacted,
    },
    /// The repository belongs to another user, who could make git run programs.
    #[error(
        "`git {command}` refuses to work here: the repository belongs to another user; if you trust them, say so with `git config --global --add safe.directory FOLDER`, where FOLDER is its root"
    )]
    OtherOwner {
        /// The subcommand.
        command: &'static str,
    },
    /// A plain folder.
    #[error("this folder is not in a git repository")]
    NotARepository,
    /// A folder whose `.git` names a git folder that may be another's.
    #[error(
        "git is not asked: `.git` leads to a git folder that does not name this folder as its working tree; if it is, `git config core.worktree \"$PWD\"` here says so, or `git worktree repair` in a linked worktree that was moved"
    )]
    NotItsWorktree,
    /// It took too long.
    #[error("`git {command}` took longer than {} s and was ended; try again, or narrow what is asked", limit.as_secs_f32())]
    Timeout {
        /// The subcommand.
        command: &'static str,
        /// How long it had.
        limit: Duration,
    },
    /// Somebody asked to stop.
    #[error("`git {command}` was stopped")]
    Cancelled {
        /// The subcommand.
        command: &'static str,
    },
    /// It printed more than is read.
    #[error("`git {command}` printed more than {limit} bytes; narrow what is asked")]
    TooMuchOutput {
        /// The subcommand.
        command: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// It printed something unexpected.
    #[error("`git {command}` printed something unexpected; windlass needs git 2.32 or newer")]
    Unexpected {
        /// The subcommand.
        command: &'static str,
    },
    /// A text that cannot name a revision.
    #[error("`{0}` is not a revision: give a commit, a branch or a tag")]
    NotARevision(String),
    /// There is no such revision here.
    #[error(
        "there is no revision `{0}` in this repository: check the name, or fetch it (a shallow clone lacks older commits)"
    )]
    UnknownRevision(String),
    /// The commit that is checked out cannot be read.
    #[error("the commit of `HEAD` is missing or damaged: `git fsck` in the repository tells more")]
    NoHeadCommit,
    /// There is no revision here at all.
    #[error("there is no revision `{0}`: this repository has no commit yet")]
    NoCommits(String),
    /// A path that git cannot be asked about.
    #[error("`{0}` is not a file of a commit: give the path of a file")]
    NotAFile(RepoPath),
}
