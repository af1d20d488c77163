use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

/// Maximum size of a readable file, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The reason why a file of the repository is not read. The `Display` text is one sentence in which
/// "it" is the file.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error,
)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// The file is missing, or is a dangling symbolic link.
    #[error("it does not exist")]
    Missing,
    /// The path is a folder instead of a file.
    #[error("it is a folder")]
    Directory,
    /// The path is a file or another entry instead of a folder.
    #[error("it is not a folder")]
    NotDirectory,
    /// The path is a pipe, socket or device.
    #[error("it is {what}, not a regular file")]
    NotRegular {
        /// The kind, with its article: `a pipe`.
        what: Cow<'static, str>,
    },
    /// The file exceeds the size limit.
    #[error("it is too large: {} MiB, the limit is {} MiB", bytes.div_ceil(1 << 20), limit >> 20)]
    TooLarge {
        /// The file's size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refuses access.
    #[error("the operating system refuses access: {why}")]
    Unreadable {
        /// The text of the [`io::ErrorKind`], which is the same on every machine.
        why: String,
    },
    /// The file is outside of the repository and has none of the accepted extensions.
    #[error("outside of the repository, {what} must have one of the extensions {endings}")]
    OtherEnding {
        /// The expected kind, with its article: `a document`.
        what: Cow<'static, str>,
        /// The accepted extensions, separated by commas.
        endings: String,
    },
    /// A symbolic link leads out of the repository.
    #[error("it is outside the repository")]
    OutsideRoot,
    /// The file is secret by its name, path or contents, or is a symbolic link to such a file.
    #[error("it is secret by the rule `{rule}`")]
    Secret {
        /// Name of the rule that makes the file secret.
        rule: Cow<'static, str>,
    },
}

impl Refusal {
    /// Converts an error from the operating system about a file.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            // A name that is too long can't exist, and neither can a name below a file.
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
