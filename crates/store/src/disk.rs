use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::beneath::{self, Access, Folder, Pending};
use crate::{Durability, RootedPath, StoreError};

/// A single operation on the disk. Since a process may be killed between any two operations, tests
/// interrupt a write before each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// Creates a folder and its parents.
    CreateFolder,
    /// Creates a temporary file.
    CreateFile,
    /// Writes bytes into the temporary file. If a test makes this step fail, half of the bytes are
    /// still written.
    Write,
    /// Makes the written bytes durable.
    Sync,
    /// Creates a hard link.
    Link,
    /// Renames the temporary file to its final name, replacing the old file.
    Replace,
    /// Makes the names in a folder durable.
    SyncFolder,
    /// Removes a file.
    Remove,
}

/// Function called before each step. If it returns an error, the step fails.
type Watch = dyn Fn(WriteStep) -> io::Result<()> + Send + Sync;

/// Writes files as a sequence of [`WriteStep`]s. Tests watch the steps and can interrupt a write
/// before any of them.
#[derive(Clone, Default)]
pub struct Disk {
    watch: Option<Arc<Watch>>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = self.watch.is_some();
        f.debug_struct("Disk").field("watched", &watched).finish()
    }
}

/// Intended readers of a file. They determine its permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The owner only.
    Owner,
    /// All users who can read the folder. A file keeps its permissions when replaced.
    Others,
    /// All users who can read the folder. They can also execute the file.
    Programs,
}

impl Readers {
    fn file_mode(self) -> u32 {
        match self {
            Self::Owner => 0o600,
            Self::Others => 0o666,
            Self::Programs => 0o777,
        }
    }

    pub(crate) fn folder_mode(self) -> u32 {
        match self {
            Self::Owner => 0o700,
            Self::Others | Self::Programs => 0o777,
        }
    }
}

/// A file's new contents, already written but not yet visible under its name. To change several
/// files, prepare all of them before finishing the first. A full disk then changes none.
#[derive(Debug)]
#[must_use = "the file is unchanged until this is finished"]
pub struct Replacement {
    disk: Disk,
    place: RootedPath,
    pending: Pending,
    durability: Durability,
}

impl Replacement {
    /// Writes `bytes` as new contents for the file at `place`, with the permissions of the existing
    /// file. Dropping the replacement without [`Replacement::finish`] discards the bytes. On some
    /// file systems, so does killing the process.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be created, or the bytes cannot be written.
    pub fn prepare(place: &RootedPath, bytes: &[u8]) -> Result<Self, StoreError> {
        Disk::default().prepare(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// Replaces the file. A link at its location is replaced and not followed. Other hard links to
    /// the old file keep the old contents.
    ///
    /// # Errors
    /// Returns an error if the file cannot be replaced. The old file is then unchanged.
    pub fn finish(self) -> Result<(), StoreError> {
        self.finish_if(|| true).map(drop)
    }

    /// Replaces the file if `may_be_replaced` returns true. We call it directly before the
    /// replacement, to leave little time for a concurrent change. Returns true if the file was
    /// replaced.
    fn finish_if(mut self, may_be_replaced: impl FnOnce() -> bool) -> Result<bool, StoreError> {
        let path = self.place.path();
        let failed = |e| StoreError::io("replace", path, e);
        self.disk.step(WriteStep::Replace).map_err(failed)?;
        if !may_be_replaced() {
            return Ok(false);
        }
        let name = self.place.file_name().unwrap_or_default();
        self.pending.finish(name).map_err(failed)?;
        if self.durability == Durability::Fsync {
            let folder = path.parent().unwrap_or(Path::new("."));
            let failed = |e| StoreError::io("sync the folder", folder, e);
            self.disk.step(WriteStep::SyncFolder).map_err(failed)?;
            self.pending.folder().sync().map_err(failed)?;
        }
        Ok(true)
    }
}

impl Disk {
    /// Creates a disk that calls `watch` before each step.
    #[must_use]
    pub fn watched(watch: impl Fn(WriteStep) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            watch: Some(Arc::new(watch)),
        }
    }

    pub(crate) fn step(&self, step: WriteStep) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(step))
    }

    /// Replaces the whole file at `place` with `bytes`. A reader, or the next process after a crash, sees either the
    /// old or the new file.
    ///
    /// Missing parent folders are created with mode 0700, and the file with mode 0600. A symbolic link at `place` is
    /// replaced and not followed.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or the file cannot be written. The old file is then unchanged.
    pub fn write_atomic(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Owner, durability)
    }

    /// Writes a file that other users may read. A new file gets ordinary permissions, and an
    /// existing one keeps its own. The file survives a power failure.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Disk::write_atomic`].
    pub fn write_shared(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// Writes a file like [`Disk::write_shared`] if its current contents still equal `before`.
    /// Comparing them directly before the replacement saves concurrent edits. Returns true if the
    /// file was written.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Disk::write_shared`].
    pub fn write_shared_over(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        before: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        let written = self.prepare(place, bytes, Readers::Others, Durability::Fsync)?;
        written.finish_if(|| is_still(place, before))
    }

    pub(crate) fn write(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        readers: Readers,
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.prepare(place, bytes, readers, durability)?.finish()
    }

    fn prepare(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        readers: Readers,
        durability: Durability,
    ) -> Result<Replacement, StoreError> {
        let is_durable = durability == Durability::Fsync;
        let failed = |e| StoreError::io("write", place.path(), e);
        let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        };
        let folder = self.folder(&folder, readers, is_durable)?;
        self.step(WriteStep::CreateFile).map_err(failed)?;
        let kept = match readers {
            Readers::Owner => None,
            Readers::Others | Readers::Programs => folder.permissions_of(name),
        };
        let mut pending = folder.begin(readers.file_mode()).map_err(failed)?;
        let file = pending.file().map_err(failed)?;
        if let Err(error) = self.step(WriteStep::Write) {
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
            return Err(failed(error));
        }
        file.write_all(bytes).map_err(failed)?;
        if let Some(kept) = kept.filter(|_| readers == Readers::Others) {
            file.set_permissions(kept).map_err(failed)?;
        }
        if is_durable {
            self.step(WriteStep::Sync).map_err(failed)?;
            file.sync_data().map_err(failed)?;
        }
        Ok(Replacement {
            disk: self.clone(),
            place: place.clone(),
            pending,
            durability,
        })
    }

    /// Opens `folder`, creating it if necessary.
    fn folder(
        &self,
        folder: &RootedPath,
        readers: Readers,
        is_durable: bool,
    ) -> Result<Folder, StoreError> {
        let failed = |e| StoreError::io("create the folder", folder.path(), e);
        match Folder::open(folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            opened => return opened.map_err(failed),
        }
        self.step(WriteStep::CreateFolder).map_err(failed)?;
        Folder::make(folder, readers.folder_mode(), is_durable).map_err(failed)
    }

    /// Gives the file at `place` the second name `kept`, so that its contents survive a
    /// replacement. On a file system without hard links, the contents are copied instead.
    ///
    /// # Errors
    /// Returns an error if `kept` already exists (`AlreadyExists`) or cannot be created.
    pub fn keep(&self, place: &RootedPath, kept: &RootedPath) -> Result<(), StoreError> {
        let failed = |e| StoreError::io("keep a copy of", place.path(), e);
        let (Some(from), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        };
        let (Some(to), Some(new)) = (kept.parent(), kept.file_name()) else {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        };
        let to = self.folder(&to, Readers::Owner, false)?;
        self.step(WriteStep::Link).map_err(failed)?;
        // Opening checks that the entry is a regular file. Links and folders must not get a second
        // name.
        let mut file = beneath::open(place, Access::Read).map_err(failed)?;
        let from = Folder::open(&from).map_err(failed)?;
        match from.link(name, &to, new) {
            Ok(()) => Ok(()),
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) =>
            {
                Err(failed(e))
            }
            // Some file systems have no hard links, so copy the contents.
            Err(_) => {
                let bytes = whole(&mut file).map_err(failed)?;
                if kept.is_there() {
                    return Err(failed(io::ErrorKind::AlreadyExists.into()));
                }
                self.write_atomic(kept, &bytes, Durability::Relaxed)
            }
        }
    }

    /// Removes the file or link at `place`. If there is none, that's not an error.
    ///
    /// # Errors
    /// Returns an error if the entry cannot be removed.
    pub fn remove(&self, place: &RootedPath) -> Result<(), StoreError> {
        let failed = |e| StoreError::io("remove", place.path(), e);
        self.step(WriteStep::Remove).map_err(failed)?;
        let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        };
        match Folder::open(&folder).and_then(|folder| folder.remove(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
            _ => Ok(()),
        }
    }
}

fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = crate::MAX_LOG_BYTES;
    file.take(limit).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Returns true if the file at `place` still has the contents `before`, or is still missing if that
/// is `None`.
fn is_still(place: &RootedPath, before: Option<&[u8]>) -> bool {
    match (beneath::open(place, Access::Read), before) {
        (Ok(file), Some(before)) => holds(file, before).unwrap_or(false),
        (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Returns true if the contents of `file` are exactly `bytes`.
pub(crate) fn holds(file: File, bytes: &[u8]) -> io::Result<bool> {
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut there = Vec::with_capacity(bytes.len().saturating_add(1));
    file.take(bytes.len() as u64 + 1).read_to_end(&mut there)?;
    Ok(there == bytes)
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
