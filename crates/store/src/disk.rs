use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::beneath::{self, Access, Folder, Pending};
use crate::{Durability, RootedPath, StoreError};

/// One thing that is done to the disk. Between two of them the process may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// A folder is created, with its parents.
    CreateFolder,
    /// A temporary file is created.
    CreateFile,
    /// Bytes are written into it. Half of them are there when this fails.
    Write,
    /// They are made durable.
    Sync,
    /// A file gets a second name.
    Link,
    /// A file takes the place of another.
    Replace,
    /// The names in a folder are made durable.
    SyncFolder,
    /// A file is removed.
    Remove,
}

/// What is asked before each step; an error makes the step fail.
type Watch = dyn Fn(WriteStep) -> io::Result<()> + Send + Sync;

/// The way files are written: step by step, so that a test can end it before any of them.
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

/// The readers a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The owner alone.
    Owner,
    /// Readers of the folder. A file that is replaced keeps its permissions.
    Others,
    /// The same, of a file that is run as a program.
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

/// New contents of a file, written already: of several files, none is replaced before all can be.
#[derive(Debug)]
#[must_use = "the file is as it was until this is finished"]
pub struct Replacement {
    disk: Disk,
    place: RootedPath,
    pending: Pending,
    durability: Durability,
}

impl Replacement {
    /// Writes `bytes` for the file at `place`, with the permissions of the file there. They vanish where this is not
    /// finished, also when the process is killed, where the file system can do so.
    ///
    /// # Errors
    /// When a folder cannot be created, or the bytes cannot be written.
    pub fn prepare(place: &RootedPath, bytes: &[u8]) -> Result<Self, StoreError> {
        Disk::default().prepare(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// Puts it in the place of the file. A link there is replaced, not followed; other names of the file keep what they had.
    ///
    /// # Errors
    /// When it cannot be; the old file is then untouched.
    pub fn finish(self) -> Result<(), StoreError> {
        self.finish_if(|| true).map(drop)
    }

    /// The same where `may_be_replaced`, which is asked last; says whether it was.
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
    /// A disk that asks `watch` before each step.
    #[must_use]
    pub fn watched(watch: impl Fn(WriteStep) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            watch: Some(Arc::new(watch)),
        }
    }

    pub(crate) fn step(&self, step: WriteStep) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(step))
    }

    /// Replaces the file at `place` by `bytes` as a whole: a reader sees the old file or the new one, and a
    /// crash leaves one of the two.
    ///
    /// Missing parent folders are created for the owner alone (mode 0700); the file is readable by the owner
    /// alone (mode 0600). A symbolic link at `place` is replaced, not followed.
    ///
    /// # Errors
    /// When the folder cannot be created or the file cannot be written; the old file is then untouched.
    pub fn write_atomic(
        &self,
        place: &RootedPath,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Owner, durability)
    }

    /// The same for a file that is meant for others: with ordinary permissions, or those of the file that is there. It
    /// survives a power cut when this returns.
    ///
    /// # Errors
    /// As [`Disk::write_atomic`].
    pub fn write_shared(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(place, bytes, Readers::Others, Durability::Fsync)
    }

    /// The same where the file still is what it was `before`, which is looked at last: who writes it by hand meanwhile loses nothing.
    /// Says whether it was.
    ///
    /// # Errors
    /// As [`Disk::write_shared`].
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

    /// The folder, made where it is missing.
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

    /// Keeps the file at `place` under the name `kept` as well, so that it is still there when another one takes
    /// its place. Nothing is copied where the file system can do without.
    ///
    /// # Errors
    /// When there is a file `kept` already (`AlreadyExists`), or it cannot be made.
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
        // A link, or what is no file, gets no second name.
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
            // Not every file system has links.
            Err(_) => {
                let bytes = whole(&mut file).map_err(failed)?;
                if kept.is_there() {
                    return Err(failed(io::ErrorKind::AlreadyExists.into()));
                }
                self.write_atomic(kept, &bytes, Durability::Relaxed)
            }
        }
    }

    /// Removes the file at `place`, or the link; one that is not there is no error.
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

/// True if the file at `place` has the bytes `before`, or is not there where there are none.
fn is_still(place: &RootedPath, before: Option<&[u8]>) -> bool {
    match (beneath::open(place, Access::Read), before) {
        (Ok(file), Some(before)) => holds(file, before).unwrap_or(false),
        (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// True if `file` has these bytes and no others.
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
