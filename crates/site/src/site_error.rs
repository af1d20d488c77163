use std::fmt;

use windlass_base::{Diagnostics, Digest, RepoPath};

/// The meaning of an error for who asked; the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Wrong usage, or a document that is not valid.
    Invalid,
    /// Something that was named is not there.
    NotFound,
    /// It is not allowed.
    Refused,
    /// Somebody else was faster, or holds a lock.
    Conflict,
    /// The work failed.
    Failed,
    /// It was stopped.
    Interrupted,
    /// A bug of ours.
    Internal,
}

/// An error of one domain, as whoever asked is told of it.
pub trait Explain: std::error::Error + Send + Sync + 'static {
    /// What it means for who asked.
    fn kind(&self) -> ErrorKind;

    /// What to do next, where the message does not say it.
    fn help(&self) -> Option<String> {
        None
    }

    /// What is wrong with a document, place by place, where the error is about one.
    fn found(&self) -> Option<&Diagnostics> {
        None
    }
}

/// The reason why a job could not be done: the error of whichever domain.
///
/// A boxed open sum, so that each domain has its errors beside what they are about.
pub struct Error(Box<dyn Explain>);

impl<E: Explain> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl Error {
    /// A document is not what it should be.
    #[must_use]
    pub fn document(found: Diagnostics) -> Self {
        SiteError::Document(found).into()
    }

    /// A bug of ours.
    #[must_use]
    pub fn internal<E: fmt::Display>(what: E) -> Self {
        SiteError::Internal(what.to_string()).into()
    }

    /// Somebody insisted on stopping.
    #[must_use]
    pub fn interrupted() -> Self {
        SiteError::Interrupted.into()
    }

    /// The file, which was named, is not there.
    #[must_use]
    pub fn missing(file: &str) -> Self {
        SiteError::Unreadable {
            file: file.to_owned(),
            why: "it does not exist".to_owned(),
            missing: true,
            secret: false,
        }
        .into()
    }

    /// The meaning for who asked.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// The thing to do next, where the message does not say it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.0.help()
    }

    /// The error as `E`, where it is one.
    #[must_use]
    pub fn get<E: Explain>(&self) -> Option<&E> {
        let error: &(dyn std::error::Error + 'static) = &*self.0;
        error.downcast_ref()
    }

    /// True if the error is one of `E`, such as `test` means.
    #[must_use]
    pub fn is<E: Explain>(&self, test: impl FnOnce(&E) -> bool) -> bool {
        self.get().is_some_and(test)
    }

    /// True if somebody insisted on stopping.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.is(|error| matches!(error, SiteError::Interrupted))
    }

    /// The mistakes in a document, place by place, where the error is about one.
    #[must_use]
    pub fn found(&self) -> Option<&Diagnostics> {
        self.0.found()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An error of any domain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A document is not what it should be.
    #[error("{0}")]
    Document(Diagnostics),
    /// A document that lies outside of the repository, where only those within are read and written.
    #[error(
        "`{0}` lies outside of this repository, and only what is in it is read and written here"
    )]
    Outside(String),
    /// A file that was named cannot be read.
    #[error("`{file}` cannot be used: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        why: String,
        /// Whether that is because it is not there.
        missing: bool,
        /// True if it is not permitted: it is secret, or a link leads out of the repository.
        secret: bool,
    },
    /// Nothing proves that what is trusted was trusted in this repository.
    #[error(
        "the list of what is trusted, at {}, belongs to the repository that was in this place before, and nothing \
         proves that it is this one: its first commits are not known; it was left as it is", path.display()
    )]
    UnprovenTrust {
        /// The file.
        path: std::path::PathBuf,
    },
    /// A text is not the one that somebody looked at before.
    #[error(
        "`{file}` is not what was looked at: its digest is {found}, not {expected}; it is not trusted"
    )]
    OtherDigest {
        /// The file.
        file: String,
        /// What was named.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// Something is there already.
    #[error("`{0}` is there already; it was left as it is")]
    Exists(String),
    /// A file that was to be written is not as it was read.
    #[error("`{0}` was changed while it was looked at; it was left as it is")]
    ChangedMeanwhile(RepoPath),
    /// The root is no working tree, but where git keeps its own files.
    #[error("this is a folder of git itself, such as a bare repository, and no working tree")]
    GitFolder,
    /// A list is no longer the one that its cursor was printed with.
    #[error("what is listed changed since this cursor was printed, or it belongs to another list")]
    ListChanged,
    /// Somebody insisted on stopping.
    #[error("stopped before there was anything to show")]
    Interrupted,
    /// A bug of ours.
    #[error("{0}; this is a bug in windlass, please report it")]
    Internal(String),
}

impl Explain for SiteError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Document(_) => ErrorKind::Invalid,
            Self::Unreadable { missing: true, .. } | Self::ListChanged => ErrorKind::NotFound,
            Self::Unreadable { secret: true, .. }
            | Self::Outside(_)
            | Self::UnprovenTrust { .. }
            | Self::GitFolder => ErrorKind::Refused,
            Self::Unreadable { .. } => ErrorKind::Failed,
            Self::OtherDigest { .. } | Self::ChangedMeanwhile(_) | Self::Exists(_) => {
                ErrorKind::Conflict
            }
            Self::Interrupted => ErrorKind::Interrupted,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::UnprovenTrust { .. } => {
                "move that file aside to begin a new list; what is to be trusted has to be looked at anew"
            }
            Self::OtherDigest { .. } => "look at it again with `--dry-run` in place of `--digest`",
            Self::ChangedMeanwhile(_) => "run it again",
            Self::ListChanged => "make the list again without `--cursor`; it has new cursors",
            Self::GitFolder => {
                "work in a working tree: `git worktree add ../NAME` makes one, `git clone` makes a repository with one"
            }
            Self::Exists(_) => {
                "`--force` replaces it, `--dry-run` prints the new one and leaves it as it is"
            }
            _ => return None,
        };
        Some(help.to_owned())
    }

    fn found(&self) -> Option<&Diagnostics> {
        match self {
            Self::Document(found) => Some(found),
            _ => None,
        }
    }
}
