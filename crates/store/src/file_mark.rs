use std::fs::{File, Metadata};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::RootedPath;

/// Identity and state of a file, as far as its metadata tell. We use a cached result only if its
/// source still has the same mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Number of the file system, or 0 on operating systems without one.
    pub device: u64,
    /// Inode number, or 0 on operating systems without one. File systems reuse the numbers of
    /// deleted files.
    pub inode: u64,
    /// Creation time in nanoseconds since the epoch, or 0 if unknown.
    pub created: i64,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last write, in nanoseconds since the epoch.
    pub modified: i64,
}

impl FileMark {
    /// Returns an open file's mark.
    ///
    /// # Errors
    /// Returns an error if the metadata cannot be read.
    pub fn of_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::of(&metadata))
    }

    /// Returns the mark of the file at `place`, or `None` if there is no such file.
    ///
    /// # Errors
    /// Returns an error if a component is a link, or if the metadata cannot be read.
    pub fn of_path(place: &RootedPath) -> io::Result<Option<Self>> {
        let found = place.look()?;
        Ok(found.as_ref().map(Self::of))
    }

    /// Returns true if both marks identify the same file, even if it has been written in between.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode, self.created) == (other.device, other.inode, other.created)
    }

    pub(crate) fn of(metadata: &Metadata) -> Self {
        let (device, inode) = numbers(metadata);
        Self {
            device,
            inode,
            created: metadata.created().map_or(0, nanoseconds),
            bytes: metadata.len(),
            modified: metadata.modified().map_or(0, nanoseconds),
        }
    }
}

/// Returns the time of the last change to a file or its metadata, in nanoseconds since the epoch.
/// On systems without it, returns the time of the last write.
#[cfg(unix)]
pub(crate) fn changed(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = metadata.ctime().saturating_mul(1_000_000_000);
    seconds.saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
pub(crate) fn changed(metadata: &Metadata) -> i64 {
    metadata.modified().map_or(0, nanoseconds)
}

#[cfg(unix)]
fn numbers(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn numbers(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}

fn nanoseconds(time: SystemTime) -> i64 {
    let nanos = |duration: std::time::Duration| i64::try_from(duration.as_nanos());
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(after).unwrap_or(i64::MAX),
        Err(before) => nanos(before.duration()).map_or(i64::MIN, |nanos| -nanos),
    }
}
