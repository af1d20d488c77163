use std::path::PathBuf;

use windlass::{ErrorKind, Explain};
use windlass_base::Diagnostics;

/// The reason why the zoo failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZooError {
    /// An input document is invalid.
    #[error("invalid zoo document")]
    Document(Diagnostics),
    /// A name in the request is unknown.
    #[error("unknown {what} `{name}`; known: {known}")]
    Unknown {
        /// The kind of thing with this name, such as a case.
        what: &'static str,
        /// The unknown name.
        name: String,
        /// Known names, separated by commas.
        known: String,
    },
    /// A file cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The reason why it cannot be read.
        why: String,
    },
    /// A git command failed.
    #[error("git {what} failed: {why}")]
    Git {
        /// The failed git command.
        what: String,
        /// Its error message.
        why: String,
    },
    /// Edits to a sample could not be made or measured.
    #[error("edits to the sample cannot be measured: {0}")]
    Edits(String),
    /// A stored file cannot be read or written.
    #[error(transparent)]
    Store(#[from] windlass_store::StoreError),
    /// The Windlass library returned an error.
    #[error(transparent)]
    Library(#[from] windlass::Error),
    /// A repository cannot be opened.
    #[error(transparent)]
    Repo(#[from] windlass_repo::RepoError),
    /// A folder for the run cannot be created.
    #[error("cannot create a folder for the run: {0}")]
    Folder(std::io::Error),
    /// The run was cancelled.
    #[error("the run was stopped")]
    Stopped,
    /// The request is invalid.
    #[error("{0}")]
    Request(String),
    /// The named data lacks something the request needs.
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
