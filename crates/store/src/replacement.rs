//! Replaces files as a whole.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use crate::beneath::{self, Access, Folder, Pending};
use crate::{DiskCall, Durability, RootedPath, StoreError};

/// Intended readers of a file. They determine its permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Only the owner.
    Owner,
    /// Everyone with access to the folder. A replaced file keeps its permissions.
    Others,
    /// Everyone with access to the folder, also for executing the file.
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

/// New contents for a file. They are already on disk, but not yet under the file's name.
///
/// To change several files, prepare all of them before finishing the first. If the disk is full,
/// none of the files changes then, instead of just some of them.
#[derive(Debug)]
#[must_use = "the file is unchanged until this is finished"]
pub struct Replacement {
    place: RootedPath,
    pending: Pending,
    durability: Durability,
}

impl Replacement {
    /// Writes `bytes` as new contents for the file at `place`. An existing file keeps its
    /// permissions.
    ///
    /// If this is dropped without calling [`finish`](Self::finish), the bytes are discarded. If the
    /// process is killed, some file systems keep a temporary file with them.
    ///
    /// # Errors
    /// Returns an error if creating a folder or writing the bytes fails.
    pub fn prepare(place: &RootedPath, bytes: &[u8]) -> Result<Self, StoreError> {
        Self::for_readers(place, bytes, Readers::Others, Durability::Fsync)
    }

    pub(crate) fn for_readers(
        place: &RootedPath,
        bytes: &[u8],
        readers: Readers,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let is_durable = durability == Durability::Fsync;
        let failed = |e| StoreError::io("write", place.path(), e);
        let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        };
        let folder = open_or_make(&folder, readers, is_durable)?;
        place.call(DiskCall::Begin).map_err(failed)?;
        let kept = match readers {
            Readers::Owner => None,
            Readers::Others | Readers::Programs => folder.permissions_of(name),
        };
        let mut pending = folder.begin(readers.file_mode()).map_err(failed)?;
        let file = pending.file().map_err(failed)?;
        place
            .call(|path| DiskCall::Write(path, bytes))
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        if let Some(kept) = kept.filter(|_| readers == Readers::Others) {
            file.set_permissions(kept).map_err(failed)?;
        }
        if is_durable {
            place.call(DiskCall::Sync).map_err(failed)?;
            file.sync_data().map_err(failed)?;
        }
        Ok(Self {
            place: place.clone(),
            pending,
            durability,
        })
    }

    /// Replaces the file. If there is a link at its location, we replace the link rather than
    /// follow it. Other hard links to the old file keep the old contents.
    ///
    /// # Errors
    /// Returns an error if replacing the file fails, in which case the old file is unchanged. If
    /// only syncing the folder fails, the file was replaced, but that may not survive a power
    /// failure.
    pub fn finish(self) -> Result<(), StoreError> {
        self.finish_if(|| true).map(drop)
    }

    /// Replaces the file if `may_be_replaced` returns true, and returns the same. We call it right
    /// before the replacement. A concurrent change in between is unlikely, but not impossible.
    pub(crate) fn finish_if(
        mut self,
        may_be_replaced: impl FnOnce() -> bool,
    ) -> Result<bool, StoreError> {
        let failed = |e| StoreError::io("replace", self.place.path(), e);
        self.place.call(DiskCall::Replace).map_err(failed)?;
        if !may_be_replaced() {
            return Ok(false);
        }
        let name = self.place.file_name().unwrap_or_default();
        self.pending.finish(name).map_err(failed)?;
        if self.durability == Durability::Fsync {
            self.pending.folder().sync().map_err(|e| {
                let folder = self.place.path().parent().unwrap_or(self.place.root());
                StoreError::io("sync the folder", folder, e)
            })?;
        }
        Ok(true)
    }
}

fn open_or_make(
    folder: &RootedPath,
    readers: Readers,
    is_durable: bool,
) -> Result<Folder, StoreError> {
    Folder::make(folder, readers.folder_mode(), is_durable)
        .map_err(|e| StoreError::io("create the folder", folder.path(), e))
}

/// Gives the file at `place` the second name `kept`, so that its contents survive a replacement. If
/// the file system has no hard links, we copy the contents instead.
///
/// # Errors
/// Returns an error if `kept` already exists (`AlreadyExists`), or if creating it fails.
pub fn keep_file(place: &RootedPath, kept: &RootedPath) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("keep a copy of", place.path(), e);
    let (Some(from), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let (Some(to), Some(new)) = (kept.parent(), kept.file_name()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let to = open_or_make(&to, Readers::Owner, false)?;
    // Open the file to make sure that it's a regular one, because links and folders must not get a
    // second name.
    let mut file = beneath::open(place, Access::Read).map_err(failed)?;
    let from = Folder::open(&from).map_err(failed)?;
    place
        .call(|path| DiskCall::Link(path, kept.path()))
        .map_err(failed)?;
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
        // The file system may not support hard links.
        Err(_) => {
            let bytes = whole(&mut file).map_err(failed)?;
            // Unlike a hard link, `write_atomic` would replace an existing file.
            if kept.is_there() {
                return Err(failed(io::ErrorKind::AlreadyExists.into()));
            }
            crate::write_atomic(kept, &bytes, Durability::Relaxed)
        }
    }
}

/// Removes the file or link at `place`, if any.
///
/// # Errors
/// Returns an error if removing the entry fails.
pub fn remove_file(place: &RootedPath) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("remove", place.path(), e);
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    match Folder::open(&folder).and_then(|folder| folder.remove(name)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
        _ => Ok(()),
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

/// True if the file at `place` still has the contents `before`, or is still missing if `before` is
/// `None`.
pub(crate) fn is_still(place: &RootedPath, before: Option<&[u8]>) -> bool {
    match (beneath::open(place, Access::Read), before) {
        (Ok(file), Some(before)) => holds(file, before).unwrap_or(false),
        (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

pub(crate) fn holds(file: File, bytes: &[u8]) -> io::Result<bool> {
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut there = Vec::with_capacity(bytes.len().saturating_add(1));
    file.take(bytes.len() as u64 + 1).read_to_end(&mut there)?;
    Ok(there == bytes)
}

#[cfg(test)]
#[path = "replacement_tests.rs"]
mod tests;
