//! Reasons why a file can't be read.
//!
//! A refusal is part of a snapshot's state and ends up in records, so it must be the same on every
//! machine. That's why it doesn't contain the system's own messages or absolute paths.

use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

/// Maximum size of a file that we read, in bytes. Source files are far smaller, and a whole file
/// has to fit into memory.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reason for refusing to read a file. The `Display` text is a sentence that calls the file "it",
/// for messages such as "`a/b` cannot be read: it is a folder".
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error,
)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// The file doesn't exist, or the path is a dangling symbolic link.
    #[error("it does not exist")]
    Missing,
    /// The path leads to a folder.
    #[error("it is a folder")]
    Directory,
    /// The path leads to a file or something else, but has to be a folder.
    #[error("it is not a folder")]
    NotDirectory,
    /// The path leads to a pipe, a socket or a device.
    #[error("it is {what}, not a regular file")]
    NotRegular {
        /// The kind of entry with its article, e.g. `a pipe`.
        what: Cow<'static, str>,
    },
    /// The file exceeds the size limit.
    #[error("it is too large: {} MiB, the limit is {} MiB", bytes.div_ceil(1 << 20), limit >> 20)]
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// The limit in bytes, usually [`MAX_FILE_BYTES`].
        limit: u64,
    },
    /// The operating system denies access to the file.
    #[error("the operating system refuses access: {why}")]
    Unreadable {
        /// For files of the repository, the text of the [`io::ErrorKind`]. The text of the error
        /// itself would depend on the operating system.
        why: String,
    },
    /// The file is outside of the repository, and its name has none of the accepted extensions.
    #[error("outside of the repository, {what} must have one of the extensions {endings}")]
    OtherEnding {
        /// The kind of file that was expected, with its article, e.g. `a document`.
        what: Cow<'static, str>,
        /// The accepted extensions, separated by commas.
        endings: String,
    },
    /// A symbolic link leads out of the repository, or the path to a new file contains a link.
    #[error("it is outside the repository")]
    OutsideRoot,
    /// The file is secret by its name, path or contents, or is a symbolic link to such a file.
    #[error("it is secret by the rule `{rule}`")]
    Secret {
        /// The rule by which the file is secret, e.g. `git-folder`.
        rule: Cow<'static, str>,
    },
}

impl Refusal {
    /// Converts an error from the operating system. Errors that mean the same to the user give the
    /// same refusal.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            // There can't be a file with a name that's too long, or one below another file.
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
