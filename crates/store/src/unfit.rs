//! Entries that cannot be our own files.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why an entry cannot be one of Windlass's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unfit {
    /// A symbolic link. We never follow it.
    Link,
    /// A pipe, a socket or a device. Reading from it might block forever.
    Special,
    /// A folder in place of a file.
    Folder,
    /// A file in place of a folder.
    NoFolder,
    /// A file that we would have to write in place, but that has more than one hard link.
    Shared,
    /// The path leads out of its root, for example with `..`.
    Outside,
}

impl Unfit {
    /// Returns the reason as a predicate, such as `is a folder, but has to be a file`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "is a symbolic link, which is not followed here",
            Self::Special => "is a pipe, a socket or a device, not a regular file",
            Self::Folder => "is a folder, but has to be a file",
            Self::NoFolder => "is not a folder, but has to be one",
            Self::Shared => {
                "has more than one name (hard links), so a change of it would change a file elsewhere"
            }
            Self::Outside => "leads out of the folder it belongs to",
        }
    }

    /// Returns advice for solving the problem, with a command if the path needs no quoting.
    pub(crate) fn remedy(self, path: &Path) -> String {
        let action = match self {
            Self::Link | Self::Special | Self::Folder | Self::NoFolder => "move it aside",
            Self::Shared => "put a copy of it in its place",
            Self::Outside => return "use a path below that folder".to_owned(),
        };
        // If the path has special characters of a shell, the command could do harm, so leave it
        // out.
        let path = path.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        if !path.chars().all(is_plain) {
            return action.to_owned();
        }
        match self {
            Self::Shared => format!("{action}: `cp -p {path} {path}.new && mv {path}.new {path}`"),
            _ => format!("{action}: `mv {path} {path}.aside`"),
        }
    }

    pub(crate) fn at(self, path: &Path) -> io::Error {
        let kind = match self {
            Self::Folder => io::ErrorKind::IsADirectory,
            Self::NoFolder => io::ErrorKind::NotADirectory,
            _ => io::ErrorKind::InvalidInput,
        };
        let path = path.to_owned();
        io::Error::new(kind, UnfitPath { path, unfit: self })
    }
}

/// Carries the reason inside of an [`io::Error`], which is all that the calls to the disk can
/// return. [`StoreError::io`](crate::StoreError) takes it out again.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {}", path.display(), unfit.as_str())]
pub(crate) struct UnfitPath {
    pub(crate) path: PathBuf,
    pub(crate) unfit: Unfit,
}
