use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

/// Maximum size of a file, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reason why a file of the repository is not read. Displays as one sentence about "it", the file.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error,
)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// Missing file or dangling symbolic link.
    #[error("it does not exist")]
    Missing,
    /// Folder instead of a file.
    #[error("it is a folder")]
    Directory,
    /// File or another entry instead of a folder.
    #[error("it is not a folder")]
    NotDirectory,
    /// Pipe, socket or device.
    #[error("it is {what}, not a regular file")]
    NotRegular {
        /// Kind with its article: `a pipe`.
        what: Cow<'static, str>,
    },
    /// File above the size limit.
    #[error("it is too large: {} MiB, the limit is {} MiB", bytes.div_ceil(1 << 20), limit >> 20)]
    TooLarge {
        /// Size in bytes.
        bytes: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// Refused by the operating system.
    #[error("the operating system refuses access: {why}")]
    Unreadable {
        /// Text of the [`io::ErrorKind`], equal on every machine.
        why: String,
    },
    /// File outside of the repository without one of the accepted extensions.
    #[error("outside of the repository, {what} must have one of the extensions {endings}")]
    OtherEnding {
        /// Kind with its article: `a document`.
        what: Cow<'static, str>,
        /// Extensions, separated by commas.
        endings: String,
    },
    /// Symbolic link out of the repository.
    #[error("it is outside the repository")]
    OutsideRoot,
    /// File that is secret by its name, path or contents, also through a symbolic link.
    #[error("it is secret by the rule `{rule}`")]
    Secret {
        /// Name of the rule.
        rule: Cow<'static, str>,
    },
}

impl Refusal {
    /// Converts an error of the operating system about a file.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            // A name that is too long, or has a file as a parent, cannot exist.
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
