use std::io;
use std::path::{Path, PathBuf};

use crate::Unfit;
use crate::unfit::UnfitPath;

/// The reason why one of our own files could not be read or written.
///
/// Every message says what was tried, on which file, and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("cannot {action} `{}`: {cause}; {}", path.display(), remedy(cause))]
    Io {
        /// What was tried, as it follows "cannot".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        cause: io::Error,
    },
    /// A file that cannot be used as one of ours; it was left as it is.
    #[error("`{}` {}; {}", path.display(), unfit.as_str(), unfit.remedy(path))]
    Unfit {
        /// The file or folder, or the component on the way to it.
        path: PathBuf,
        /// The reason.
        unfit: Unfit,
    },
    /// A newer Windlass wrote the document.
    #[error(
        "`{}` has schema version {found}, but this windlass knows versions up to {supported}; \
         it was left as it is: update windlass to use it",
        path.display()
    )]
    Newer {
        /// The document.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The newest version this program knows.
        supported: u32,
    },
    /// The document is not the JSON it should be.
    #[error(
        "`{}`, line {line}, column {column}: {message}; \
         it was left as it is: correct it, or move it aside to start anew",
        path.display()
    )]
    Malformed {
        /// The document.
        path: PathBuf,
        /// From 1; 0 when the whole document is meant.
        line: usize,
        /// From 1, in bytes; 0 when the whole line is meant.
        column: usize,
        /// What was expected.
        message: String,
    },
    /// The document is larger than any that this program would write.
    #[error(
        "`{}` has {bytes} bytes, more than the {limit} allowed; \
         it was left as it is: move it aside to start anew",
        path.display()
    )]
    TooLarge {
        /// The document.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl StoreError {
    /// True if the disk, or the part of it that may be used, is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if crate::platform::is_full(cause))
    }

    /// Whether it may be read, and not written.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if matches!(
            cause.kind(),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
        ))
    }

    /// True if there is a file of that name already.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if cause.kind() == io::ErrorKind::AlreadyExists)
    }

    /// The error that the parser found in the document at `path`.
    #[must_use]
    pub fn malformed(path: &Path, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // The place is said in front already.
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        Self::Malformed {
            path: path.to_owned(),
            line,
            column,
            message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    }

    /// That the folder or file at `place` cannot be opened, for `cause`.
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

    /// An error of the operating system. It is logged here, so that the log names the cause wherever a caller goes on without
    /// the file.
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

/// What a person can do about `cause`.
fn remedy(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space on that disk and try again"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "that file system is read-only: work on a copy that can be written; what is kept beside repositories lies where XDG_DATA_HOME, XDG_STATE_HOME and XDG_CACHE_HOME point"
        }
        io::ErrorKind::PermissionDenied => {
            "check who owns it and whether you may write there (`ls -ld`)"
        }
        io::ErrorKind::NotADirectory => "a file stands where a folder is needed: move it aside",
        io::ErrorKind::IsADirectory => "a folder stands where a file is needed: move it aside",
        io::ErrorKind::FileTooLarge => "raise the limit on file sizes (`ulimit -f`)",
        _ => "check that the folder exists and its disk is in order, and try again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_where_and_what_next() {
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
