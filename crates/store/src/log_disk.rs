use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::beneath::{self, Access, Folder};
use crate::platform::reserve;
use crate::{FileMark, MAX_LOG_BYTES, RootedPath};

/// The matter that a [`DurableLog`](crate::DurableLog) is made of: bytes that are only added to at the end. The real one is a file; tests put one in
/// its place that loses what was not synced.
pub trait LogDisk: Send + Sync {
    /// How many bytes there are.
    ///
    /// # Errors
    /// When the disk does not answer.
    fn bytes(&self) -> io::Result<u64>;

    /// Reads the bytes from `from` to `to`, or to the end if that comes first, in place of what is in `bytes`.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()>;

    /// Makes room for so many more bytes, as far as the disk can promise that.
    ///
    /// # Errors
    /// When there is none.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Adds `bytes` at the end. A part of them may be there when this fails.
    ///
    /// # Errors
    /// When they cannot be written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Takes away what comes after the first `end` bytes: a part of what could not be appended.
    ///
    /// # Errors
    /// When it cannot be taken away.
    fn take_back(&self, end: u64) -> io::Result<()>;

    /// Makes all that was appended before survive a power cut.
    ///
    /// # Errors
    /// When it is not known to.
    fn sync(&self) -> io::Result<()>;

    /// How many bytes are known to survive, by what was last noted.
    fn synced(&self) -> u64;

    /// Notes that so many bytes survive. Whoever appends to it next may rely on that instead of syncing again.
    fn note_synced(&self, end: u64);
}

/// A file.
pub(crate) struct FileDisk {
    pub(crate) file: File,
    /// Its location.
    pub(crate) place: RootedPath,
    /// Where the number of bytes that survive is noted.
    pub(crate) mark: RootedPath,
}

/// The length of what is noted: file system, number and birth of the log, bytes, and a check over them.
const MARK_BYTES: usize = 40;

impl FileDisk {
    /// That what is appended changes no file elsewhere: this one is never replaced, since others have it open.
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
        // One of another file, or one that a crash left unfinished, says nothing.
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
        // A file says of itself how long it is, and may have nothing of it.
        if there > MAX_LOG_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let room = usize::try_from(there).map_err(|_| io::ErrorKind::FileTooLarge)?;
        bytes.try_reserve(room)?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        // What is appended meanwhile is read by who asks again.
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
            // Nobody has made its name durable yet, as far as is known.
            Some(folder) if self.synced() == 0 => Folder::open(&folder)?.sync(),
            _ => Ok(()),
        }
    }

    fn synced(&self) -> u64 {
        self.read_mark().unwrap_or(0)
    }

    fn note_synced(&self, end: u64) {
        // Without the note the next one syncs once more than needed, and nothing else.
        let _ = self.mark_of(end).and_then(|mark| {
            let mut file = beneath::open(&self.mark, Access::InPlace)?;
            file.write_all(&mark)
        });
    }
}
