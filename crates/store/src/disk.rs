use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::beneath::{self, Access, Folder, Pending};
use crate::{Durability, RootedPath, StoreError};

/// Single operation on the disk. The process may end between any two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// Creates a folder with its parents.
    CreateFolder,
    /// Creates a temporary file.
    CreateFile,
    /// Writes bytes into it. If this fails, half of them are written.
    Write,
    /// Makes the bytes durable.
    Sync,
    /// Creates a hard link.
    Link,
    /// Replaces a file by another.
    Replace,
    /// Makes the names in a folder durable.
    SyncFolder,
    /// Removes a file.
    Remove,
}

/// Callback before each step; an error makes the step fail.
type Watch = dyn Fn(WriteStep) -> io::Result<()> + Send + Sync;

/// Writer of files, step by step, so that a test can end it before any of them.
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

/// Intended readers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The owner only.
    Owner,
    /// Readers of the folder. A replaced file keeps its permissions.
    Others,
    /// Readers of the folder, who may also execute it.
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

/// New contents of a file, already written: of several files, none is replaced before all are written.
#[derive(Debug)]
#[must_use = "the file is unchanged until this is finished"]
pub struct Replacement {
    disk: Disk,
    place: RootedPath,
    pending: Pending,
    durability: Durability,
}

impl Replacement {
    /// Writes `bytes` for the file at `place`, with the permissions of the existing file. They are discarded
    /// unless finished, also when the process is killed, if the file system supports it.
    ///
    /// # Errors
    /// When a folder cannot be created, or the bytes cannot be written.
    pub fn prepare(place: &RootedPath, bytes: &[u8]) -> Result<Self, StoreError> {
        Disk::default().prepare(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// Replaces the file. A link is replaced, not followed; other hard links of the file keep the old
    /// contents.
    ///
    /// # Errors
    /// When it fails; the old file is then unchanged.
    pub fn finish(self) -> Result<(), StoreError> {
        self.finish_if(|| true).map(drop)
    }

    /// Replaces the file if `may_be_replaced`, checked last; returns true if it was replaced.
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

    /// Replaces the file at `place` by `bytes` as a whole: a reader sees the old or the new file, and a crash
    /// leaves one of the two.
    ///
    /// Missing parent folders are created with mode 0700, the file with mode 0600. A symbolic link at `place`
    /// is replaced, not followed.
    ///
    /// # Errors
    /// When the folder cannot be created or the file cannot be written; the old file is then unchanged.
    pub fn write_atomic(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Owner, durability)
    }

    /// Writes a file for other users: with ordinary permissions, or those of the existing file. It survives a
    /// power failure.
    ///
    /// # Errors
    /// Like [`Disk::write_atomic`].
    pub fn write_shared(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// Writes a file for other users if its contents still equal `before`, checked last, so that a concurrent
    /// edit is not lost. Returns true if it was written.
    ///
    /// # Errors
    /// Like [`Disk::write_shared`].
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

    /// Opens the folder, and creates it if missing.
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

    /// Creates the additional name `kept` for the file at `place`, so that its contents survive a
    /// replacement. Copies only if the file system has no hard links.
    ///
    /// # Errors
    /// When the file `kept` exists already (`AlreadyExists`), or cannot be created.
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
        // A link, or an entry that is not a file, gets no second name.
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
            // Some file systems have no hard links.
            Err(_) => {
                let bytes = whole(&mut file).map_err(failed)?;
                if kept.is_there() {
                    return Err(failed(io::ErrorKind::AlreadyExists.into()));
                }
                self.write_atomic(kept, &bytes, Durability::Relaxed)
            }
        }
    }

    /// Removes the file or link at `place`; a missing one is not an error.
    ///
    /// # Errors
    /// When it cannot be removed.
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

/// True if the file at `place` has the contents `before`, or is missing if `before` is `None`.
fn is_still(place: &RootedPath, before: Option<&[u8]>) -> bool {
    match (beneath::open(place, Access::Read), before) {
        (Ok(file), Some(before)) => holds(file, before).unwrap_or(false),
        (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// True if `file` has exactly these contents.
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
