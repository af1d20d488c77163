//! Implements [`Explain`] for the errors of crates that this one depends on. They cannot do that
//! themselves, because they do not know the trait.

use std::io;

use windlass_base::PathError;
use windlass_evidence::{CaptureError, SymbolError};
use windlass_repo::{GitError, ListError, Refusal, RepoError, SearchError};
use windlass_store::{DirsError, LockError, StoreError};

use crate::{ErrorKind, Explain};

impl Explain for RepoError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                ErrorKind::NotFound
            }
            Self::Rules(_) => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        }
    }
}

impl Explain for GitError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownRevision(_) | Self::NoCommits(_) => ErrorKind::NotFound,
            Self::NotARevision(_) => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let help = "make it one with `git init`, or name another with `--root DIR`";
        matches!(self, Self::NotARepository).then(|| help.to_owned())
    }
}

impl Explain for CaptureError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused {
                refusal: Refusal::Secret { .. },
                ..
            } => ErrorKind::Refused,
            Self::Refused {
                refusal: Refusal::Missing,
                ..
            } => ErrorKind::NotFound,
            _ => ErrorKind::Invalid,
        }
    }
}

impl Explain for SymbolError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Invalid,
        }
    }
}

impl Explain for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unfit { .. } => ErrorKind::Refused,
            _ => ErrorKind::Failed,
        }
    }
}

impl Explain for LockError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Timeout { .. } => ErrorKind::Conflict,
            Self::Store(error) => error.kind(),
            _ => ErrorKind::Failed,
        }
    }
}

impl Explain for DirsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Failed
    }
}

impl Explain for PathError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

impl Explain for SearchError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

impl Explain for ListError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}
