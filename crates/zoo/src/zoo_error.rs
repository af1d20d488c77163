use std::path::PathBuf;

use windlass::{ErrorKind, Explain};
use windlass_base::Diagnostics;

/// The reason why the zoo has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZooError {
    /// A recipe, a gate or a file of cases isn't valid.
    #[error("invalid zoo document")]
    Document(Diagnostics),
    /// The request has a name that we don't know.
    #[error("unknown {what} `{name}`; known: {known}")]
    Unknown {
        /// What the name is meant to be, e.g. a case.
        what: &'static str,
        /// The name that we don't know.
        name: String,
        /// The names that we know, separated by commas.
        known: String,
    },
    /// We couldn't read a file.
    #[error("`{}` cannot be read: {why}", path.display())]
    Unreadable {
        /// The file, as the user named it.
        path: PathBuf,
        /// The reason, which is printed after the path.
        why: String,
    },
    /// A git command failed.
    #[error("git {what} failed: {why}")]
    Git {
        /// The command that failed.
        what: String,
        /// The error message of git.
        why: String,
    },
    /// We couldn't edit a sample, or couldn't measure the result.
    #[error("edits to the sample cannot be measured: {0}")]
    Edits(String),
    /// We couldn't read or write a file of our own.
    #[error(transparent)]
    Store(#[from] windlass_store::StoreError),
    /// Windlass itself returned an error.
    #[error(transparent)]
    Library(#[from] windlass::Error),
    /// We couldn't open a repository.
    #[error(transparent)]
    Repo(#[from] windlass_repo::RepoError),
    /// We couldn't create a folder for the run.
    #[error("cannot create a folder for the run: {0}")]
    Folder(std::io::Error),
    /// Somebody has stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// The request doesn't make sense. The string is the complete message.
    #[error("{0}")]
    Request(String),
    /// The data doesn't have what the request needs. The string is the complete message.
    #[error("{0}")]
    Data(String),
}

impl Explain for ZooError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Library(error) => error.kind(),
            _ => ErrorKind::Failed,
        }
    }
}
