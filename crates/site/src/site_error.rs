use std::fmt;

use windlass_base::{Diagnostics, Digest, RepoPath};

/// The category of an error, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The usage is wrong, or a document is invalid.
    Invalid,
    /// A named file or entry does not exist.
    NotFound,
    /// The operation isn't permitted, for example because a file is secret or a document isn't
    /// trusted.
    Refused,
    /// Another process holds a lock, changed the data first, or has claimed a step.
    Conflict,
    /// The operation was valid, but failed.
    Failed,
    /// The caller stopped the operation.
    Interrupted,
    /// A bug in Windlass.
    Internal,
}

/// An error of one domain, with a category and advice.
pub trait Explain: std::error::Error + Send + Sync + 'static {
    /// Returns the category.
    fn kind(&self) -> ErrorKind;

    /// Returns advice for the user, or `None` if there is none or the message already contains it.
    fn help(&self) -> Option<String> {
        None
    }

    /// Returns the findings about an invalid document, if that's what the error is about.
    fn found(&self) -> Option<&Diagnostics> {
        None
    }
}

/// An error of any domain.
///
/// Each domain defines its own error type, and this type boxes it. That way, no crate has to list
/// the errors of all domains.
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

    /// Creates the error for an operation stopped by the caller.
    #[must_use]
    pub fn interrupted() -> Self {
        SiteError::Interrupted.into()
    }

    /// Creates the error for a named file that doesn't exist.
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

    /// Returns the category.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Returns advice for the user, or `None` if there is none or the message already contains it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.0.help()
    }

    /// Returns the error as an `E`, or `None` if it's of another type.
    #[must_use]
    pub fn get<E: Explain>(&self) -> Option<&E> {
        let error: &(dyn std::error::Error + 'static) = &*self.0;
        error.downcast_ref()
    }

    /// Returns true if the error is an `E` that passes `test`.
    #[must_use]
    pub fn is<E: Explain>(&self, test: impl FnOnce(&E) -> bool) -> bool {
        self.get().is_some_and(test)
    }

    /// Returns true if the caller stopped the operation.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.is(|error| matches!(error, SiteError::Interrupted))
    }

    /// Returns the findings about an invalid document, if that's what the error is about.
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

/// Errors common to all domains.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A document is invalid.
    #[error("{0}")]
    Document(Diagnostics),
    /// A document is outside of the repository, but the site only permits documents within it.
    #[error("`{0}` is outside of this repository, and only files within are read and written here")]
    Outside(String),
    /// A named file can't be read.
    #[error("`{file}` cannot be used: {why}")]
    Unreadable {
        /// The file as named by the user.
        file: String,
        /// The reason why it can't be read.
        why: String,
        /// True if the file doesn't exist.
        missing: bool,
        /// True if the file isn't permitted, because it's secret or a link points outside of the
        /// repository.
        secret: bool,
    },
    /// We don't know whether the trust list belongs to this repository.
    #[error(
        "the trust list {} belongs to the repository that was here before, and cannot be proven to \
         belong to this one, because its first commits are unknown; it was left unchanged", path.display()
    )]
    UnprovenTrust {
        /// The file with the trust list.
        path: std::path::PathBuf,
    },
    /// The contents differ from those reviewed by the user.
    #[error(
        "`{file}` differs from the reviewed version: its digest is {found}, not {expected}; it is not trusted"
    )]
    OtherDigest {
        /// The file as named by the user.
        file: String,
        /// Digest of the reviewed contents.
        expected: Digest,
        /// The current file's digest.
        found: Digest,
    },
    /// A file to create already exists.
    #[error("`{0}` already exists and was left unchanged")]
    Exists(String),
    /// A file changed between our reading and writing it.
    #[error("`{0}` changed while it was being edited; it was left unchanged")]
    ChangedMeanwhile(RepoPath),
    /// The root is one of git's own folders instead of a working tree.
    #[error("this is a folder of git itself, such as a bare repository, not a working tree")]
    GitFolder,
    /// A list has changed since its cursor was printed.
    #[error(
        "the list changed since this cursor was printed, or the cursor belongs to another list"
    )]
    ListChanged,
    /// The caller stopped the operation.
    #[error("stopped before there was anything to show")]
    Interrupted,
    /// Windlass has a bug, described by the text.
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
                "move that file away to start a new list, then review and trust again"
            }
            Self::OtherDigest { .. } => "review it again with `--dry-run` instead of `--digest`",
            Self::ChangedMeanwhile(_) => "run it again",
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
