use std::io;
use std::path::{Path, PathBuf};

use crate::Unfit;
use crate::unfit::UnfitPath;

/// Error about reading or writing one of Windlass's own files.
///
/// Every message names the action, the file, and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused the action.
    #[error("cannot {action} `{}`: {cause}; {}", path.display(), remedy(cause))]
    Io {
        /// The action, as a phrase after "cannot".
        action: &'static str,
        /// File or folder the action is about.
        path: PathBuf,
        /// Error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// The file cannot be used as one of Windlass's own. It was left unchanged.
    #[error("`{}` {}; {}", path.display(), unfit.as_str(), unfit.remedy(path))]
    Unfit {
        /// Path of the file or folder, or of a component in the way.
        path: PathBuf,
        /// Reason why the path cannot be used.
        unfit: Unfit,
    },
    /// The document was written by a newer Windlass.
    #[error(
        "`{}` has schema version {found}, but this windlass knows versions up to {supported}; \
         it was left as it is: update windlass to use it",
        path.display()
    )]
    Newer {
        /// The document we can't read.
        path: PathBuf,
        /// Version of the document.
        found: u64,
        /// Newest version supported by this Windlass.
        supported: u32,
    },
    /// The contents of the document are invalid.
    #[error(
        "`{}`, line {line}, column {column}: {message}; \
         it was left as it is: correct it, or move it aside to start over",
        path.display()
    )]
    Malformed {
        /// The document we can't parse.
        path: PathBuf,
        /// Line number from 1, or 0 for an error about the whole document.
        line: usize,
        /// Column in bytes from 1, or 0 for an error about the whole line.
        column: usize,
        /// Description of the error, without its position.
        message: String,
    },
    /// The document is larger than any that Windlass would write.
    #[error(
        "`{}` has {bytes} bytes, more than the {limit} allowed; \
         it was left as it is: move it aside to start over",
        path.display()
    )]
    TooLarge {
        /// The oversized document.
        path: PathBuf,
        /// The document's size in bytes.
        bytes: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
}

impl StoreError {
    /// Returns true if the disk or the user's quota is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if crate::platform::is_full(cause))
    }

    /// Returns true if permissions or a read-only file system prevent writing the file.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if matches!(
            cause.kind(),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
        ))
    }

    /// Returns true if there already is a file of that name.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if cause.kind() == io::ErrorKind::AlreadyExists)
    }

    /// Creates an error from the JSON parser's error about the document at `path`.
    #[must_use]
    pub fn malformed(path: &Path, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // The position has its own fields, so remove it from the message.
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        Self::Malformed {
            path: path.to_owned(),
            line,
            column,
            message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    }

    /// Creates the error for a file or folder at `place` that cannot be opened because of `cause`.
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

    /// Creates an error for a failed action. We log the cause here, in case the caller continues
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

/// Returns advice on resolving `cause`.
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
