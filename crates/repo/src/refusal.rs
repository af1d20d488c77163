use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why a file of the repository is not read. As text: one sentence about "it", the file.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error,
)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// There is nothing at the path, or a symbolic link to nothing.
    #[error("it does not exist")]
    Missing,
    /// A folder.
    #[error("it is a folder")]
    Directory,
    /// Something else, where a folder is wanted.
    #[error("it is not a folder")]
    NotDirectory,
    /// A pipe, socket or device.
    #[error("it is {what}, not a regular file")]
    NotRegular {
        /// With its article: `a pipe`.
        what: Cow<'static, str>,
    },
    /// More bytes than are ever read.
    #[error("it is too large: {} MiB, and at most {} MiB are read", bytes.div_ceil(1 << 20), limit >> 20)]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refused.
    #[error("the system refuses it: {why}")]
    Unreadable {
        /// In the words of [`io::ErrorKind`], which are the same on every machine.
        why: String,
    },
    /// A file outside of the repository, of which only those with some endings are read.
    #[error("outside of the repository {what} has to end in {endings}")]
    OtherEnding {
        /// With its article: `a document`.
        what: Cow<'static, str>,
        /// The endings, with commas between them.
        endings: String,
    },
    /// A symbolic link leads out of the repository.
    #[error("it lies outside the repository")]
    OutsideRoot,
    /// Its name, its place or its contents say that it holds secrets; also through a symbolic link.
    #[error("it is kept secret by the rule `{rule}`")]
    Secret {
        /// Name of the rule.
        rule: Cow<'static, str>,
    },
}

impl Refusal {
    /// What an error of the operating system means for the file it was about.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            // A name that is too long or that runs through a file cannot exist.
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidFilename => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Directory,
            kind => Self::Unreadable {
                why: kind.to_string(),
            },
        }
    }
}
