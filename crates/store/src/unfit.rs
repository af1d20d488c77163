use std::io;
use std::path::{Path, PathBuf};

/// Reason why a path cannot be used as a file of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unfit {
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket or a device: reading it may never end.
    Special,
    /// A folder where a file is needed.
    Folder,
    /// A file where a folder is needed.
    NoFolder,
    /// A file with more than one hard link that would be written in place.
    Shared,
    /// A path that leads out of its root.
    Outside,
}

impl Unfit {
    /// Predicate of the path, for messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "is a link, and no link is followed here",
            Self::Special => "is a pipe, a socket or a device, and no regular file",
            Self::Folder => "is a folder where a file is needed",
            Self::NoFolder => "is no folder, and a folder is needed there",
            Self::Shared => {
                "has more than one name (hard links), so a change of it would change a file elsewhere"
            }
            Self::Outside => "leads out of the folder it belongs to",
        }
    }

    /// Command or action that resolves it.
    pub(crate) fn remedy(self, path: &Path) -> String {
        let action = match self {
            Self::Link | Self::Special | Self::Folder | Self::NoFolder => "move it aside",
            Self::Shared => "put a copy of it in its place",
            Self::Outside => return "name a path below that folder".to_owned(),
        };
        // A name may hold what a shell takes for more than a name.
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

/// The cause of an error of input and output, until it is told as a `StoreError`.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {}", path.display(), unfit.as_str())]
pub(crate) struct UnfitPath {
    pub(crate) path: PathBuf,
    pub(crate) unfit: Unfit,
}
