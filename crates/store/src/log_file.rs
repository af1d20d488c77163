//! The file behind a durable log.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::beneath::{self, Access, Folder};
use crate::platform::reserve;
use crate::{DiskCall, FileMark, MAX_LOG_BYTES, RootedPath};

/// The file of a [`DurableLog`](crate::DurableLog), and the record of its durable bytes.
pub(crate) struct LogFile {
    pub(crate) file: File,
    pub(crate) place: RootedPath,
    /// The file with the number of durable bytes.
    pub(crate) mark: RootedPath,
}

/// Size of the record, in bytes. It consists of the log's file system, inode and creation time, the
/// number of durable bytes, and a checksum over all of these.
const MARK_BYTES: usize = 40;

impl LogFile {
    /// Checks that the log has no other hard links, because a write would change the file under its
    /// other name too. We replace our other files instead of writing them in place, but that is
    /// impossible here, since other processes have the log open.
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
        // A cut record, or one of another file, tells us nothing about this file. In that case, no
        // bytes count as durable.
        Ok(if self.mark_of(end)? == mark { end } else { 0 })
    }

    pub(crate) fn bytes(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    /// Reads the bytes from `from` to `to` into `bytes`, or up to the end of the file if that comes
    /// first. The previous contents of `bytes` are gone.
    pub(crate) fn read(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        let there = self.bytes()?.min(to).saturating_sub(from);
        // A special file may report a size far above the real one.
        if there > MAX_LOG_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let room = usize::try_from(there).map_err(|_| io::ErrorKind::FileTooLarge)?;
        bytes.try_reserve(room)?;
        self.place.call(DiskCall::Read)?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        // Other processes may be appending. Leave what they append from now on to the next call.
        file.take(there).read_to_end(bytes)?;
        Ok(())
    }

    pub(crate) fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.check_own()?;
        reserve(&self.file, self.bytes()?, bytes)
    }

    /// Appends `bytes`. After a failure, some of them may be in the file.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.check_own()?;
        self.place.call(|path| DiskCall::Append(path, bytes))?;
        (&self.file).write_all(bytes)
    }

    /// Removes everything after offset `end`, which is where a partial append began.
    pub(crate) fn take_back(&self, end: u64) -> io::Result<()> {
        self.check_own()?;
        self.place.call(|path| DiskCall::Truncate(path, end))?;
        self.file.set_len(end)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.place.call(DiskCall::SyncFile)?;
        self.file.sync_data()?;
        match self.place.parent() {
            // A new log may get lost together with its name, so sync the folder as well.
            Some(folder) if self.synced() == 0 => Folder::open(&folder)?.sync(),
            _ => Ok(()),
        }
    }

    /// Number of durable bytes according to the record.
    pub(crate) fn synced(&self) -> u64 {
        self.read_mark().unwrap_or(0)
    }

    /// Records the number of durable bytes, so that later writers do not have to sync them again.
    pub(crate) fn note_synced(&self, end: u64) {
        // If we can't write this, the next writer does one sync too many, and that's all.
        let _ = self.mark_of(end).and_then(|mark| {
            let mut file = beneath::open(&self.mark, Access::InPlace)?;
            self.mark.call(|path| DiskCall::Overwrite(path, &mark))?;
            file.write_all(&mark)
        });
    }
}
