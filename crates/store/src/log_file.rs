//! The file behind a durable log.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::beneath::{self, Folder};
use crate::platform::reserve;
use crate::{DiskCall, FileMark, MAX_LOG_BYTES, RootedPath, read_in_place, write_in_place};

/// The file of a [`DurableLog`](crate::DurableLog), and the record of its durable bytes.
pub(crate) struct LogFile {
    pub(crate) file: File,
    pub(crate) place: RootedPath,
    /// The file with the number of durable bytes.
    pub(crate) mark: RootedPath,
}

/// Size of the record, in bytes. It consists of the log's file system, inode and creation time, and
/// the number of durable bytes.
const MARK_BYTES: usize = 32;

impl LogFile {
    /// Checks that the log has no other hard links, because a write would change the file under its
    /// other name too. We replace most of our files instead of writing them in place, but that is
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
        Ok(mark)
    }

    fn read_mark(&self) -> Option<u64> {
        let mark = read_in_place(&self.mark, 1 << 10)?;
        let end = u64::from_le_bytes(*mark.last_chunk()?);
        // A record of another file tells us nothing about this one.
        (self.mark_of(end).ok()? == *mark).then_some(end)
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
        if let Ok(mark) = self.mark_of(end) {
            let _ = write_in_place(&self.mark, &mark);
        }
    }
}
