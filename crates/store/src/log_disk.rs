use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::beneath::{self, Access, Folder};
use crate::platform::reserve;
use crate::{FileMark, MAX_LOG_BYTES, RootedPath};

/// Storage for a [`DurableLog`](crate::DurableLog): an append-only sequence of bytes. In production
/// it's a file. Tests use a storage that loses bytes unless they were synced.
pub trait LogDisk: Send + Sync {
    /// Returns the storage's size in bytes.
    ///
    /// # Errors
    /// Returns an error if the size cannot be determined.
    fn bytes(&self) -> io::Result<u64>;

    /// Reads the bytes from `from` to `to` into `bytes`, replacing its contents. The range is cut
    /// off at the end of the storage.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be read.
    fn read(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()>;

    /// Reserves space for `bytes` more bytes, if supported.
    ///
    /// # Errors
    /// Returns an error if there is not enough space.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Appends `bytes`. If this fails, some of the bytes may have been written.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Removes everything after offset `end`, where a partial append begins.
    ///
    /// # Errors
    /// Returns an error if the storage cannot be truncated.
    fn take_back(&self, end: u64) -> io::Result<()>;

    /// Makes everything appended so far durable.
    ///
    /// # Errors
    /// Returns an error if it is unknown whether the bytes are durable.
    fn sync(&self) -> io::Result<()>;

    /// Returns the last recorded number of durable bytes.
    fn synced(&self) -> u64;

    /// Records the number of durable bytes. Later writers rely on it instead of syncing again.
    fn note_synced(&self, end: u64);
}

/// Storage in a file.
pub(crate) struct FileDisk {
    pub(crate) file: File,
    /// The file's location.
    pub(crate) place: RootedPath,
    /// The file that records the number of durable bytes.
    pub(crate) mark: RootedPath,
}

/// Size of the record in bytes. It consists of the log's file system, inode and creation time, the
/// number of durable bytes, and a checksum.
const MARK_BYTES: usize = 40;

impl FileDisk {
    /// Checks that the log has no other hard link, because appending would change that file too. We
    /// can't replace the log instead, since other processes have it open.
    fn check_own(&self) -> io::Result<()> {
        beneath::check_single(&self.place, &self.file.metadata()?)
    }

    fn mark_of(&self, end: u64) -> io::Result<[u8; MARK_BYTES]> {
        let file = FileMark::of_file(&self.file)?;
        let mut mark = [0; MARK_BYTES];
        let fields = [file.device, file.inode, file.created as u64, end];
        for (place, field) in mark.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        let check = blake3::hash(&mark[..32]);
        mark[32..].copy_from_slice(&check.as_bytes()[..8]);
        Ok(mark)
    }

    fn read_mark(&self) -> io::Result<u64> {
        let mut mark = [0; MARK_BYTES];
        beneath::open(&self.mark, Access::Read)?.read_exact(&mut mark)?;
        let end = mark[24..32].try_into().map_or(0, u64::from_le_bytes);
        // If the record belongs to another file or is incomplete, ignore it. The bytes may not be
        // durable.
        Ok(if self.mark_of(end)? == mark { end } else { 0 })
    }
}

impl LogDisk for FileDisk {
    fn bytes(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    fn read(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        let there = self.bytes()?.min(to).saturating_sub(from);
        // A special file may report a size much larger than its contents.
        if there > MAX_LOG_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let room = usize::try_from(there).map_err(|_| io::ErrorKind::FileTooLarge)?;
        bytes.try_reserve(room)?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        // Leave bytes appended in the meantime for the next call.
        file.take(there).read_to_end(bytes)?;
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.check_own()?;
        reserve(&self.file, self.bytes()?, bytes)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.check_own()?;
        (&self.file).write_all(bytes)
    }

    fn take_back(&self, end: u64) -> io::Result<()> {
        self.check_own()?;
        self.file.set_len(end)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        match self.place.parent() {
            // A new log may be lost together with its name, so sync the folder as well.
            Some(folder) if self.synced() == 0 => Folder::open(&folder)?.sync(),
            _ => Ok(()),
        }
    }

    fn synced(&self) -> u64 {
        self.read_mark().unwrap_or(0)
    }

    fn note_synced(&self, end: u64) {
        // Ignore errors: without the record, the next writer just syncs once more than needed.
        let _ = self.mark_of(end).and_then(|mark| {
            let mut file = beneath::open(&self.mark, Access::InPlace)?;
            file.write_all(&mark)
        });
    }
}
