use std::io;
use std::path::{Path, PathBuf};

/// Reasons why a path cannot be used as one of Windlass's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unfit {
    /// Symbolic link. We never follow it.
    Link,
    /// Pipe, socket or device. Reading it may block forever.
    Special,
    /// Folder in place of a file.
    Folder,
    /// File in place of a folder.
    NoFolder,
    /// File to be written in place that has more than one hard link.
    Shared,
    /// Path outside of its root.
    Outside,
}

impl Unfit {
    /// Returns the reason as a predicate for a message about the path.
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

    /// Returns the action that resolves the problem. It has a command if the path needs no quoting.
    pub(crate) fn remedy(self, path: &Path) -> String {
        let action = match self {
            Self::Link | Self::Special | Self::Folder | Self::NoFolder => "move it aside",
            Self::Shared => "put a copy of it in its place",
            Self::Outside => return "use a path below that folder".to_owned(),
        };
        // Leave the command out if the path has characters special to a shell, since they could
        // make it harmful.
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

/// Source of an [`io::Error`] that carries the reason until it's reported as a `StoreError`.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {}", path.display(), unfit.as_str())]
pub(crate) struct UnfitPath {
    pub(crate) path: PathBuf,
    pub(crate) unfit: Unfit,
}
