use std::io;
use std::path::{Path, PathBuf};

/// Reason why a path cannot be used as a file of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unfit {
    /// Symbolic link, which is never followed.
    Link,
    /// Pipe, socket or device: reading it may never end.
    Special,
    /// Folder in place of a file.
    Folder,
    /// File in place of a folder.
    NoFolder,
    /// File with more than one hard link that would be written in place.
    Shared,
    /// Path that leads out of its root.
    Outside,
}

impl Unfit {
    /// Returns the reason as a predicate of the path, for messages.
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

    /// Returns the command or action that resolves it.
    pub(crate) fn remedy(self, path: &Path) -> String {
        let action = match self {
            Self::Link | Self::Special | Self::Folder | Self::NoFolder => "move it aside",
            Self::Shared => "put a copy of it in its place",
            Self::Outside => return "use a path below that folder".to_owned(),
        };
        // The name may contain characters that are special to a shell.
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

/// Cause of an I/O error, until it is reported as a `StoreError`.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {}", path.display(), unfit.as_str())]
pub(crate) struct UnfitPath {
    pub(crate) path: PathBuf,
    pub(crate) unfit: Unfit,
}
