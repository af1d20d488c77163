//! Errors of this crate, with advice for the user.

use std::io;
use std::path::{Path, PathBuf};

use crate::Unfit;
use crate::unfit::UnfitPath;

/// A failure to read or write one of Windlass's own files. Every message names the action and the
/// file, and tells the user what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system reported an error.
    #[error("cannot {action} `{}`: {cause}; {}", path.display(), remedy(cause))]
    Io {
        /// The action, as a phrase that follows "cannot".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// The entry cannot be one of Windlass's own files, so we have left it alone.
    #[error("`{}` {}; {}", path.display(), unfit.as_str(), unfit.remedy(path))]
    Unfit {
        /// The file or folder itself, or a component on the way.
        path: PathBuf,
        /// The problem with this path.
        unfit: Unfit,
    },
    /// A newer version of Windlass wrote the document.
    #[error(
        "`{}` has schema version {found}, but this windlass knows versions up to {supported}; \
         it was left as it is: update windlass to use it",
        path.display()
    )]
    Newer {
        /// The document, which we have left unchanged.
        path: PathBuf,
        /// Version of the document.
        found: u64,
        /// The newest version that we can read.
        supported: u32,
    },
    /// The contents of the document are invalid.
    #[error(
        "`{}`, line {line}, column {column}: {message}; \
         it was left as it is: correct it, or move it aside to start over",
        path.display()
    )]
    Malformed {
        /// The document, which we have left unchanged.
        path: PathBuf,
        /// Line number (1-based), or 0 if the error is about the whole document.
        line: usize,
        /// Column in bytes (1-based), or 0 if the error is about the whole line.
        column: usize,
        /// Description of the error, without its position.
        message: String,
    },
    /// The document exceeds the maximum size of our own.
    #[error(
        "`{}` has {bytes} bytes, more than the {limit} allowed; \
         it was left as it is: move it aside to start over",
        path.display()
    )]
    TooLarge {
        /// The document, which we have left unchanged.
        path: PathBuf,
        /// Size of the document in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl StoreError {
    /// True if there is not enough space, either on the disk or within the user's quota.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if crate::platform::is_full(cause))
    }

    /// True if writing failed because of the file's permissions or a read-only file system.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if matches!(
            cause.kind(),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
        ))
    }

    /// True if an entry of that name already exists.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if cause.kind() == io::ErrorKind::AlreadyExists)
    }

    /// Converts an error of the JSON parser about the document at `path`.
    #[must_use]
    pub fn malformed(path: &Path, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // The position is in separate fields, so remove it from the message.
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        Self::Malformed {
            path: path.to_owned(),
            line,
            column,
            message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    }

    /// Creates the error for a file or folder at `place` that failed to open because of `cause`.
    #[must_use]
    pub fn of(place: &crate::RootedPath, cause: io::Error) -> Self {
        Self::io("open", place.path(), cause)
    }

    pub(crate) fn too_large(path: &Path, bytes: u64, limit: u64) -> Self {
        Self::TooLarge {
            path: path.to_owned(),
            bytes,
            limit,
        }
    }

    /// Creates the error for a failed action. We log the cause here, since the caller may go on
    /// without the file.
    pub(crate) fn io(action: &'static str, path: &Path, cause: io::Error) -> Self {
        tracing::debug!(path = %path.display(), %cause, "cannot {action}");
        let inner = cause.get_ref();
        if let Some(found) = inner.and_then(|inner| inner.downcast_ref::<UnfitPath>()) {
            return Self::Unfit {
                path: found.path.clone(),
                unfit: found.unfit,
            };
        }
        Self::Io {
            action,
            path: path.to_owned(),
            cause,
        }
    }
}

fn remedy(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space on that disk and try again"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is read-only: work on a writable copy, or set XDG_DATA_HOME, XDG_STATE_HOME and XDG_CACHE_HOME to writable folders"
        }
        io::ErrorKind::PermissionDenied => "check its owner and permissions with `ls -ld`",
        io::ErrorKind::NotADirectory => "a file is in place of a folder: move it aside",
        io::ErrorKind::IsADirectory => "a folder is in place of a file: move it aside",
        io::ErrorKind::FileTooLarge => "raise the limit on file sizes (`ulimit -f`)",
        _ => "check the folder and its disk, and try again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_has_action_path_and_advice() {
        let full = StoreError::io(
            "write",
            Path::new("/data/notebook.json"),
            io::ErrorKind::StorageFull.into(),
        );
        let text = full.to_string();
        assert!(text.starts_with("cannot write `/data/notebook.json`: "));
        assert!(text.ends_with("; free some space on that disk and try again"));
        for kind in [
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::NotADirectory,
            io::ErrorKind::IsADirectory,
        ] {
            assert_ne!(remedy(&kind.into()), remedy(&io::ErrorKind::Other.into()));
        }
    }
}
