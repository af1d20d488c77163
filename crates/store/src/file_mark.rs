use std::fs::{File, Metadata};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::RootedPath;

/// The identity of a file, and the state in which it was seen: all that can be told without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// The file system it lies on; 0 where that has no number.
    pub device: u64,
    /// Its number there; 0 where there is none. Numbers are used again.
    pub inode: u64,
    /// The time when it was made, in nanoseconds since the epoch; 0 where that is not known.
    pub created: i64,
    /// Its size.
    pub bytes: u64,
    /// The time when it was last written, in nanoseconds since the epoch.
    pub modified: i64,
}

impl FileMark {
    /// The mark of an open file.
    ///
    /// # Errors
    /// When the file system does not answer.
    pub fn of_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::of(&metadata))
    }

    /// The mark of the file at `place`; `None` when there is none.
    ///
    /// # Errors
    /// When a component is a link, or the file system does not answer.
    pub fn of_path(place: &RootedPath) -> io::Result<Option<Self>> {
        let found = place.look()?;
        Ok(found.as_ref().map(Self::of))
    }

    /// True if both are of one file, in whatever state.
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

/// When a file, or what is known of it, last changed, in nanoseconds since the epoch; when it was last written, where nothing else
/// is known.
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
