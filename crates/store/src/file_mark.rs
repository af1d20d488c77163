//! Marks of files, for noticing changes.

use std::fs::{File, Metadata};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::RootedPath;

/// Identifies a file and its state, as far as its metadata allows.
///
/// A cached result is only valid if its source still has the same mark. If a change restores the
/// size and the time of the last write, we do not notice it here; see
/// [`FolderFile::changed`](crate::FolderFile::changed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Number of the file system, or 0 on operating systems without such numbers.
    pub device: u64,
    /// Inode number, or 0 on operating systems without inodes. This is not enough to identify a
    /// file, because file systems reuse the numbers of deleted files.
    pub inode: u64,
    /// Time of creation, in nanoseconds since the epoch, or 0 if it is unknown.
    pub created: i64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Time of the last write, in nanoseconds since the epoch.
    pub modified: i64,
}

impl FileMark {
    /// Returns the mark of an open file, which may no longer be at its path.
    ///
    /// # Errors
    /// Returns an error if reading the metadata fails.
    pub fn of_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::of(&metadata))
    }

    /// Returns the mark of the file at `place`, or `None` if it is missing.
    ///
    /// # Errors
    /// Returns an error if a component is a link, or if reading the metadata fails.
    pub fn of_path(place: &RootedPath) -> io::Result<Option<Self>> {
        let found = place.look()?;
        Ok(found.as_ref().map(Self::of))
    }

    /// True if both marks belong to the same file, even if it was written in between.
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

/// Returns the time of the last change to the file or its metadata, in nanoseconds since the epoch.
/// Programs cannot set this time, as opposed to that of the last write.
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
