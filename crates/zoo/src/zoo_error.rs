use std::path::PathBuf;

use windlass::{ErrorKind, Explain};
use windlass_base::Diagnostics;

/// Why the zoo could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZooError {
    /// A document of the zoo is wrong.
    #[error("a document of the zoo is wrong")]
    Document(Diagnostics),
    /// There is no such thing.
    #[error("there is no {what} called `{name}`; there are: {known}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// A file cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Git cannot do what a history needs.
    #[error("git {what}: {why}")]
    Git {
        /// What it was asked.
        what: String,
        /// What it said.
        why: String,
    },
    /// Edits to a sample cannot be made or measured.
    #[error("edits to the sample cannot be measured: {0}")]
    Edits(String),
    /// What was made cannot be kept, or a kept file not be read.
    #[error(transparent)]
    Store(#[from] windlass_store::StoreError),
    /// The library says so.
    #[error(transparent)]
    Library(#[from] windlass::Error),
    /// A repository cannot be opened.
    #[error(transparent)]
    Repo(#[from] windlass_repo::RepoError),
    /// A folder for a run cannot be made.
    #[error("a folder for the run cannot be made: {0}")]
    Folder(std::io::Error),
    /// Somebody asked to stop.
    #[error("it was stopped")]
    Stopped,
    /// It was asked for something that makes no sense.
    #[error("{0}")]
    Request(String),
    /// What was named does not have what was asked of it.
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
