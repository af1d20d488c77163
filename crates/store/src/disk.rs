//! The calls to the disk, which tests can watch and make fail.
//!
//! Code that writes files has to cope with a crash or an error between any two calls. The tests
//! simulate such a disk instead of hoping that they hit the right moment.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A single call to the disk, with its path.
///
/// Between any two calls, the process may be killed or the power may fail. New contents first go to
/// a temporary file without a path of its own. Its calls refer to the path of the file to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiskCall<'a> {
    /// Opens an existing file, or reads from an open one.
    Read(&'a Path),
    /// Lists the entries of a folder.
    List(&'a Path),
    /// Creates a folder, along with any missing parents.
    CreateFolder(&'a Path),
    /// Opens a file to write in place or append to. Creates a missing file.
    CreateFile(&'a Path),
    /// Creates a temporary file.
    Begin(&'a Path),
    /// Writes the contents of a temporary file.
    Write(&'a Path, &'a [u8]),
    /// Makes the contents of a temporary file durable.
    Sync(&'a Path),
    /// Gives a temporary file its final name, replacing the old file.
    Replace(&'a Path),
    /// Creates a hard link to the first path. The second path is the link's name.
    Link(&'a Path, &'a Path),
    /// Removes a file or an empty folder.
    Remove(&'a Path),
    /// Appends to a file. After a failure, some of the bytes may be in the file.
    Append(&'a Path, &'a [u8]),
    /// Overwrites the start of a file in place.
    Overwrite(&'a Path, &'a [u8]),
    /// Cuts a file off after this many bytes.
    Truncate(&'a Path, u64),
    /// Makes the contents of a file durable, but not its name.
    SyncFile(&'a Path),
    /// Makes the names in a folder durable, but not the contents of files.
    SyncFolder(&'a Path),
}

/// A function that is called before each call to the disk. If it returns an error, the call fails
/// with that.
type Watch = dyn Fn(DiskCall<'_>) -> io::Result<()> + Send + Sync;

/// The disk of a [`RootedPath`](crate::RootedPath), by default the real one. Tests can watch the
/// calls, and make any of them fail.
///
/// All disks are equal to each other, because a location is the same on any of them.
#[derive(Clone, Default)]
pub struct Disk {
    watch: Option<Arc<Watch>>,
}

impl Disk {
    /// Creates a disk that calls `watch` before each of its calls.
    #[must_use]
    pub fn watched(watch: impl Fn(DiskCall<'_>) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            watch: Some(Arc::new(watch)),
        }
    }

    pub(crate) fn call(&self, call: DiskCall<'_>) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(call))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = self.watch.is_some();
        f.debug_struct("Disk").field("watched", &watched).finish()
    }
}

impl PartialEq for Disk {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Disk {}

impl PartialOrd for Disk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Disk {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Disk {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
