use std::fmt;

use windlass_base::{Diagnostics, Digest, RepoPath};

/// The kind of error, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command is wrong, or a document is invalid.
    Invalid,
    /// There's no such file or entry.
    NotFound,
    /// The operation isn't allowed, e.g. because a file is secret, or because the user doesn't
    /// trust a document.
    Refused,
    /// Another process holds a lock, has changed the data before us, or has claimed a step.
    Conflict,
    /// Something went wrong that should have worked.
    Failed,
    /// The caller has stopped the operation.
    Interrupted,
    /// A bug in Windlass.
    Internal,
}

/// An error of one crate, with everything that the user has to know about it.
pub trait Explain: std::error::Error + Send + Sync + 'static {
    /// Returns the kind, which determines the exit code.
    fn kind(&self) -> ErrorKind;

    /// Returns advice for the user. There's none by default, e.g. because the message says it all.
    fn help(&self) -> Option<String> {
        None
    }

    /// Returns the findings in an invalid document, or `None` if this is another kind of error.
    fn found(&self) -> Option<&Diagnostics> {
        None
    }
}

/// An error of any crate.
///
/// Each crate has an error type of its own, which is boxed here. We could also use an enum, but
/// then this crate would have to know the errors of all the others.
pub struct Error(Box<dyn Explain>);

impl<E: Explain> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl Error {
    /// Creates the error for an invalid document.
    #[must_use]
    pub fn document(found: Diagnostics) -> Self {
        SiteError::Document(found).into()
    }

    /// Creates the error for a bug in Windlass.
    #[must_use]
    pub fn internal<E: fmt::Display>(what: E) -> Self {
        SiteError::Internal(what.to_string()).into()
    }

    /// Creates the error for an operation that the caller has stopped.
    #[must_use]
    pub fn interrupted() -> Self {
        SiteError::Interrupted.into()
    }

    /// Creates the error for a file that the user has named but that doesn't exist.
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

    /// Creates the error for a file that exists, but that we cannot use.
    #[must_use]
    pub fn unusable(file: impl fmt::Display, why: impl fmt::Display) -> Self {
        SiteError::Unreadable {
            file: file.to_string(),
            why: why.to_string(),
            missing: false,
            secret: false,
        }
        .into()
    }

    /// See [`Explain::kind`].
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// See [`Explain::help`].
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.0.help()
    }

    /// Returns the error if it's an `E`.
    #[must_use]
    pub fn get<E: Explain>(&self) -> Option<&E> {
        let error: &(dyn std::error::Error + 'static) = &*self.0;
        error.downcast_ref()
    }

    /// True if the error is an `E` and `test` accepts it.
    #[must_use]
    pub fn is<E: Explain>(&self, test: impl FnOnce(&E) -> bool) -> bool {
        self.get().is_some_and(test)
    }

    /// True if the caller has stopped the operation, in which case there's nothing to report.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.is(|error| matches!(error, SiteError::Interrupted))
    }

    /// See [`Explain::found`].
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

/// Errors of any service.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The document is invalid.
    #[error("{0}")]
    Document(Diagnostics),
    /// The document is outside of the repository, and this site isn't allowed to use any such
    /// document.
    #[error("`{0}` is outside of this repository, and only files within are read and written here")]
    Outside(String),
    /// We can't use a file that the user has named.
    #[error("`{file}` cannot be used: {why}")]
    Unreadable {
        /// The name, as given by the user.
        file: String,
        /// The reason, as a sentence about the file.
        why: String,
        /// True if the file doesn't exist.
        missing: bool,
        /// True if we must not use the file, because it's secret or behind a link out of the
        /// repository.
        secret: bool,
    },
    /// We can't tell if the trust list at this location was written for this repository or for
    /// another one that used to be here.
    #[error(
        "the trust list {} belongs to the repository that was here before, and cannot be proven to \
         belong to this one, because its first commits are unknown; it was left unchanged", path.display()
    )]
    UnprovenTrust {
        /// Path of the trust list.
        path: std::path::PathBuf,
    },
    /// The file isn't the version that the user has reviewed.
    #[error(
        "`{file}` differs from the reviewed version: its digest is {found}, not {expected}; it is not trusted"
    )]
    OtherDigest {
        /// The name, as given by the user.
        file: String,
        /// Digest of the version that the user has reviewed.
        expected: Digest,
        /// Digest of the present version.
        found: Digest,
    },
    /// The file that we're supposed to create already exists.
    #[error("`{0}` already exists and was left unchanged")]
    Exists(String),
    /// Another process has changed the file after we read it.
    #[error("`{0}` changed while it was being edited; it was left unchanged")]
    ChangedMeanwhile(RepoPath),
    /// The root is a folder of git itself, which has no working tree.
    #[error("this is a folder of git itself, such as a bare repository, not a working tree")]
    GitFolder,
    /// The list isn't the one that this cursor was printed for.
    #[error(
        "the list changed since this cursor was printed, or the cursor belongs to another list"
    )]
    ListChanged,
    /// The operating system doesn't give us what we need in order to start.
    #[error("cannot start: {0}")]
    NotStarted(std::io::Error),
    /// The caller has stopped the operation.
    #[error("stopped before there was anything to show")]
    Interrupted,
    /// A bug in Windlass, described by the text.
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
            Self::Unreadable { .. } | Self::NotStarted(_) => ErrorKind::Failed,
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
                "move that file away to start a new list, then review and trust again"
            }
            Self::OtherDigest { .. } => "review it again with `--dry-run` instead of `--digest`",
            Self::ChangedMeanwhile(_) => "run it again",
            Self::NotStarted(_) => "raise the limit of open files with `ulimit -n 1024`",
            Self::ListChanged => "repeat the call without `--cursor` to get new cursors",
            Self::GitFolder => {
                "use a working tree: create one with `git worktree add ../NAME`, or with `git clone`"
            }
            Self::Exists(_) => "replace it with `--force`, or print the new one with `--dry-run`",
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
