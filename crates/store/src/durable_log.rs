use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::platform::{create_private_folder, open_log_file, sync_folder};
use crate::{FileMark, Lock, LockError, LockGuard, StoreError};

/// What a [`DurableLog`] is made of: bytes that are only added to at the end. The real one is a file; tests put one in
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

    /// Adds `bytes` at the end. A part of them may be there when this fails.
    ///
    /// # Errors
    /// When they cannot be written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

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

/// A log of whole lines that many processes append to, and that loses nothing that was acknowledged.
///
/// Nothing in it is ever changed or taken out. What a crash left of an unfinished line stays, ended by the next
/// append, for readers to pass over: it was never acknowledged. One call of [`LogDisk::sync`] serves all processes
/// that wait for theirs (group commit).
pub struct DurableLog {
    disk: Arc<dyn LogDisk>,
    path: PathBuf,
    locks: LogLocks,
}

/// The two locks of a log.
#[derive(Debug, Clone)]
struct LogLocks {
    /// Held while lines are appended.
    append: PathBuf,
    /// Held while what was appended is made durable.
    sync: PathBuf,
}

/// The right to append; nobody else appends meanwhile.
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct LogWriter<'a> {
    log: &'a DurableLog,
    _guard: LockGuard,
}

/// Where appended lines end: what [`DurableLog::commit`] makes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "what was appended is not durable before it is committed"]
pub struct Appended {
    /// Where the first of the lines begins.
    pub start: u64,
    /// The bytes of the log up to the last of them.
    pub end: u64,
}

impl std::fmt::Debug for DurableLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DurableLog")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl DurableLog {
    /// The log at `path`, created if it is not there; its locks and its mark lie in `beside`.
    ///
    /// # Errors
    /// When it can be neither opened nor created.
    pub fn open(path: &Path, beside: &Path) -> Result<Self, StoreError> {
        let failed = |folder| move |e| StoreError::io("create the folder", folder, e);
        create_private_folder(beside).map_err(failed(beside))?;
        if let Some(folder) = path.parent() {
            // It may lie in a repository, where others look into it.
            std::fs::create_dir_all(folder).map_err(failed(folder))?;
        }
        let file = open_log_file(path).map_err(|e| StoreError::io("open", path, e))?;
        Ok(Self::on_file(file, path, beside))
    }

    fn on_file(file: File, path: &Path, beside: &Path) -> Self {
        let disk = FileDisk {
            file,
            folder: path.parent().map(Path::to_owned),
            mark: beside.join("synced"),
        };
        Self::on(Arc::new(disk), path, beside)
    }

    /// A log on `disk`, which is called `path` in messages; its locks lie in `beside`.
    #[must_use]
    pub fn on(disk: Arc<dyn LogDisk>, path: &Path, beside: &Path) -> Self {
        Self {
            disk,
            path: path.to_owned(),
            locks: LogLocks {
                append: beside.join("append.lock"),
                sync: beside.join("sync.lock"),
            },
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log at `path` as [`DurableLog::open`] opens it; `None` when it is not there. Where it cannot be written, it is
    /// opened for reading alone.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_existing(path: &Path, beside: &Path) -> Result<Option<Self>, StoreError> {
        if !path.exists() {
            return Ok(None);
        }
        let cannot_write = match Self::open(path, beside) {
            Err(error) if error.is_read_only() => error,
            opened => return opened.map(Some),
        };
        let Ok(file) = File::open(path) else {
            return Err(cannot_write);
        };
        Ok(Some(Self::on_file(file, path, beside)))
    }

    /// Which file it is, in which state.
    ///
    /// # Errors
    /// When it is gone.
    pub fn mark(&self) -> Result<FileMark, StoreError> {
        let failed = |e| StoreError::io("read", &self.path, e);
        let mark = FileMark::of_path(&self.path).map_err(failed)?;
        mark.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Where its next line will begin: after its last, also where a crash left that unfinished.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn next_start(&self) -> Result<u64, StoreError> {
        let end = self.bytes()?;
        let last = self.read(end.saturating_sub(1), end)?;
        let is_torn = last.last().is_some_and(|byte| *byte != b'\n');
        Ok(end + u64::from(is_torn))
    }

    /// How many bytes it has.
    ///
    /// # Errors
    /// When the disk does not answer.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.disk
            .bytes()
            .map_err(|e| StoreError::io("read", &self.path, e))
    }

    /// Its bytes from `from` to `to`, or to the end if that comes first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        self.read_into(from, to, &mut bytes)?;
        Ok(bytes)
    }

    /// As [`DurableLog::read`], in place of what is in `bytes`: where much is read, memory that was used before is faster.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read_into(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
        self.disk
            .read(from, to, bytes)
            .map_err(|e| StoreError::io("read", &self.path, e))
    }

    /// The whole lines from `from` on: up to the last terminator. What comes after it may still be being written.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn whole_lines(&self, from: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = self.read(from, u64::MAX)?;
        let end = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        bytes.truncate(end);
        Ok(bytes)
    }

    /// Waits up to `timeout` for the right to append; `holder` says who asks, for others who wait.
    ///
    /// # Errors
    /// When somebody else has it all the time.
    pub fn writer(&self, timeout: Duration, holder: &str) -> Result<LogWriter<'_>, LockError> {
        Ok(LogWriter {
            log: self,
            _guard: Lock::acquire_promptly(&self.locks.append, timeout, holder)?,
        })
    }

    /// Makes `appended` survive a power cut. Where somebody else does so already, this waits for them, and then for
    /// one sync that serves all who waited.
    ///
    /// # Errors
    /// When it is not known to survive: it must not be acknowledged.
    pub fn commit(
        &self,
        appended: Appended,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LockError> {
        let guard = Lock::acquire_promptly(&self.locks.sync, timeout, holder)?;
        if self.disk.synced() >= appended.end {
            return Ok(());
        }
        // All that is there now becomes durable, also what others appended meanwhile.
        let end = self.bytes()?;
        self.disk
            .sync()
            .map_err(|e| StoreError::io("make durable", &self.path, e))?;
        self.disk.note_synced(end);
        drop(guard);
        Ok(())
    }

    /// As [`LogWriter::append`], for who keeps others away in another way. Nothing is lost by two of them at once, but
    /// the place that is given back may be wrong then.
    ///
    /// # Errors
    /// As [`LogWriter::append`].
    pub fn append_alone(&self, lines: &[u8]) -> Result<Appended, StoreError> {
        debug_assert!(lines.ends_with(b"\n"), "a log grows by whole lines");
        let failed = |e| StoreError::io("write", &self.path, e);
        let disk = &self.disk;
        let mut start = disk.bytes().map_err(failed)?;
        let mut last = Vec::new();
        disk.read(start.saturating_sub(1), start, &mut last)
            .map_err(failed)?;
        let is_torn = last.last().is_some_and(|byte| *byte != b'\n');
        if is_torn {
            // One write, so that a reader never takes the beginning of ours for the rest of theirs.
            let ended = [b"\n", lines].concat();
            disk.append(&ended).map_err(failed)?;
            start += 1;
        } else {
            disk.append(lines).map_err(failed)?;
        }
        Ok(Appended {
            start,
            end: start + lines.len() as u64,
        })
    }
}

impl LogWriter<'_> {
    /// Appends `lines`: one or more, each with its terminator.
    ///
    /// # Errors
    /// When they cannot be written; a part of them may be there then.
    pub fn append(&mut self, lines: &[u8]) -> Result<Appended, StoreError> {
        self.log.append_alone(lines)
    }
}

/// A file.
struct FileDisk {
    file: File,
    /// What its name stands in.
    folder: Option<PathBuf>,
    /// Where the number of bytes that survive is noted.
    mark: PathBuf,
}

/// The length of what is noted: file system, number and birth of the log, bytes, and a check over them.
const MARK_BYTES: usize = 40;

impl FileDisk {
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
        File::open(&self.mark)?.read_exact(&mut mark)?;
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
        bytes.reserve(usize::try_from(there).unwrap_or(0));
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        file.take(to.saturating_sub(from)).read_to_end(bytes)?;
        Ok(())
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        match &self.folder {
            // Nobody has made its name durable yet, as far as is known.
            Some(folder) if self.synced() == 0 => sync_folder(folder),
            _ => Ok(()),
        }
    }

    fn synced(&self) -> u64 {
        self.read_mark().unwrap_or(0)
    }

    fn note_synced(&self, end: u64) {
        // Without the note the next one syncs once more than needed, and nothing else.
        let _ = self.mark_of(end).and_then(|mark| {
            crate::platform::open_lock_file(&self.mark).and_then(|mut file| file.write_all(&mark))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    fn append(log: &DurableLog, lines: &str) -> Appended {
        let mut writer = log.writer(SOON, "test").unwrap();
        writer.append(lines.as_bytes()).unwrap()
    }

    #[test]
    fn it_grows_by_whole_lines_and_ends_what_a_crash_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/events.jsonl");
        let log = DurableLog::open(&path, &dir.path().join("locks")).unwrap();
        let first = append(&log, "one\n");
        assert_eq!((first.start, first.end), (0, 4));
        log.commit(first, SOON, "test").unwrap();
        std::fs::write(&path, "one\ntw").unwrap();
        assert_eq!(log.whole_lines(0).unwrap(), b"one\n");
        let next = append(&log, "three\nfour\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntw\nthree\nfour\n");
        assert_eq!((next.start, next.end), (7, 18));
        assert_eq!(log.whole_lines(next.start).unwrap(), b"three\nfour\n");
    }

    #[test]
    fn a_sync_serves_all_that_was_appended_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let log = DurableLog::open(&path, dir.path()).unwrap();
        let first = append(&log, "one\n");
        let second = append(&log, "two\n");
        log.commit(first, SOON, "test").unwrap();
        assert_eq!(log.disk.synced(), second.end);
        // What is noted of one file says nothing of another in its place.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "another\n").unwrap();
        assert_eq!(
            DurableLog::open(&path, dir.path()).unwrap().disk.synced(),
            0
        );
        std::fs::write(dir.path().join("synced"), [7; MARK_BYTES]).unwrap();
        assert_eq!(log.disk.synced(), 0);
    }
}
