//! The durable log, on which the ledger is built.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::beneath::{self, Access, Folder};
use crate::lock::WORK_MOMENTS;
use crate::log_file::LogFile;
use crate::{
    FileMark, Lock, LockError, LockGuard, LockRequest, MAX_LOG_BYTES, RootedPath, StoreError,
};

/// Time that a rollback waits for a concurrent sync to end. If that's not long enough, we leave the
/// partial lines in the log.
const ROLL_BACK_TIMEOUT: Duration = Duration::from_secs(5);

/// An append-only log of complete lines that several processes can write to.
///
/// Once a line is acknowledged, it's never changed, removed or lost. A crash may leave an
/// unfinished line behind. The next append terminates it, and readers skip it, since it was never
/// acknowledged. If a write fails halfway, e.g. because the disk is full, its writer removes the
/// partial lines, so that it can try again.
///
/// A single sync makes the lines of all waiting processes durable (group commit). For example, if A
/// is syncing while B and C append, it takes one more sync for both B and C.
pub struct DurableLog {
    file: LogFile,
    locks: LogLocks,
}

/// The two lock files of a log. With a single lock, nobody could append while another process is
/// syncing, and so each line would need a sync of its own.
#[derive(Debug, Clone)]
struct LogLocks {
    append: RootedPath,
    sync: RootedPath,
}

/// The exclusive right to append to a log, see [`DurableLog::writer`].
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct LogWriter<'a> {
    log: &'a DurableLog,
    _guard: LockGuard,
}

/// Position of appended lines in the log. Pass this to [`DurableLog::commit`] before you
/// acknowledge the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "appended lines are not durable before they are committed"]
pub struct Appended {
    /// Start of the first line, in bytes from the start of the log.
    pub start: u64,
    /// End of the last line, in bytes from the start of the log.
    pub end: u64,
}

impl std::fmt::Debug for DurableLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DurableLog")
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

impl DurableLog {
    /// Opens the log at `place`, or creates it if it doesn't exist. The folder `beside` is for its
    /// lock files and for the record of its durable size.
    ///
    /// # Errors
    /// Returns an error if the log can't be opened or created, or if it is larger than
    /// [`MAX_LOG_BYTES`].
    pub fn open(place: &RootedPath, beside: &RootedPath) -> Result<Self, StoreError> {
        let failed = |e| StoreError::io("open", place.path(), e);
        let file = match (beneath::open(place, Access::Create), place.parent()) {
            (Err(e), Some(folder)) if e.kind() == io::ErrorKind::NotFound => {
                // The folder may be in a repository, where other users read it.
                Folder::make(&folder, 0o777, true)
                    .map_err(|e| StoreError::io("create the folder", folder.path(), e))?;
                beneath::open(place, Access::Create)
            }
            (opened, _) => opened,
        };
        Self::on_file(file.map_err(failed)?, place, beside)
    }

    fn on_file(file: File, place: &RootedPath, beside: &RootedPath) -> Result<Self, StoreError> {
        let log = Self {
            file: LogFile {
                file,
                place: place.clone(),
                mark: beside.join("synced"),
            },
            locks: LogLocks {
                append: beside.join("append.lock"),
                sync: beside.join("sync.lock"),
            },
        };
        match log.bytes()? {
            bytes if bytes > MAX_LOG_BYTES => {
                Err(StoreError::too_large(place.path(), bytes, MAX_LOG_BYTES))
            }
            _ => Ok(log),
        }
    }

    /// Returns the path of the log, for messages. Don't open it, because other processes rely on
    /// the locks.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.place.path()
    }

    /// Opens the log like [`open`](Self::open), but returns `None` if there's no log. If we may not
    /// write to the log, we open it just for reading.
    ///
    /// # Errors
    /// Returns an error if the log can't be opened.
    pub fn open_existing(
        place: &RootedPath,
        beside: &RootedPath,
    ) -> Result<Option<Self>, StoreError> {
        let failed = |e| StoreError::io("open", place.path(), e);
        let file = match beneath::open(place, Access::Append) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => match (failed(e), beneath::open(place, Access::Read)) {
                (error, Ok(file)) if error.is_read_only() => file,
                (error, _) => return Err(error),
            },
        };
        Self::on_file(file, place, beside).map(Some)
    }

    /// Identifies the file and its state, so that you can tell if it has changed.
    ///
    /// # Errors
    /// Returns an error if the file no longer exists.
    pub fn mark(&self) -> Result<FileMark, StoreError> {
        let failed = |e| StoreError::io("read", self.path(), e);
        let mark = FileMark::of_path(&self.file.place).map_err(failed)?;
        mark.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Returns the size in bytes, including lines that aren't committed.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.file
            .bytes()
            .map_err(|e| StoreError::io("read", self.path(), e))
    }

    /// Number of bytes that are durable for sure. There may be more of them.
    #[must_use]
    pub fn synced_bytes(&self) -> u64 {
        self.file.synced()
    }

    /// Returns the bytes from `from` to `to`, or to the end of the log if that comes first.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        self.read_into(from, to, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads like [`read`](Self::read), but replaces the contents of `bytes`. For large reads, it's
    /// faster to reuse a buffer than to allocate a new one.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn read_into(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
        self.file
            .read(from, to, bytes)
            .map_err(|e| StoreError::io("read", self.path(), e))
    }

    /// Returns all complete lines from offset `from` on. We leave out the bytes after the last line
    /// terminator, since another process may still be writing that line.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn whole_lines(&self, from: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = self.read(from, u64::MAX)?;
        let end = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        bytes.truncate(end);
        Ok(bytes)
    }

    /// Waits for the right to append.
    ///
    /// # Errors
    /// Returns an error if another process holds the right for the whole time.
    pub fn writer(&self, request: &LockRequest) -> Result<LogWriter<'_>, LockError> {
        Ok(LogWriter {
            log: self,
            _guard: Lock::acquire(&self.locks.append, request)?,
        })
    }

    /// Makes the lines at `appended` durable.
    ///
    /// If another process is already syncing, we wait for that, because a single sync then serves
    /// all processes that have been waiting.
    ///
    /// # Errors
    /// Returns an error if the lines may not be durable. The caller must not acknowledge them then.
    pub fn commit(&self, appended: Appended, request: &LockRequest) -> Result<(), LockError> {
        let is_durable = || self.file.synced() >= appended.end;
        let guard = Lock::acquire_unless(&self.locks.sync, request, WORK_MOMENTS, is_durable)?;
        let Some(guard) = guard else {
            return Ok(());
        };
        // Sync the lines of other processes as well, which saves them a sync of their own.
        let end = self.bytes()?;
        self.file
            .sync()
            .map_err(|e| StoreError::io("make durable", self.path(), e))?;
        self.file.note_synced(end);
        drop(guard);
        Ok(())
    }

    /// Removes the partial lines of a failed append, so that the log ends at `end` again. If we
    /// don't get the sync lock in time, we leave them in the log, where they do no harm.
    fn take_back(&self, end: u64) {
        // Without the lock, a concurrent sync could record the partial lines as durable. Lines
        // written later at the same offset would then count as durable too early.
        let request = LockRequest::new(ROLL_BACK_TIMEOUT, "windlass");
        let Ok(_guard) = Lock::acquire(&self.locks.sync, &request) else {
            return;
        };
        if self.file.synced() > end {
            self.file.note_synced(end);
        }
        // If the record couldn't be changed, lines that are written here later would count as
        // durable too early.
        if self.file.synced() <= end {
            let _ = self.file.take_back(end);
        }
    }

    /// Appends lines like [`LogWriter::append`], for callers that have some other way to exclude
    /// each other. If they call this at the same time after all, no lines are lost, but the
    /// returned position may be wrong.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`LogWriter::append`].
    pub fn append_alone(&self, lines: &[u8]) -> Result<Appended, StoreError> {
        debug_assert!(lines.ends_with(b"\n"), "a log grows by whole lines");
        let failed = |e| StoreError::io("write", self.path(), e);
        let file = &self.file;
        let mut start = file.bytes().map_err(failed)?;
        let mut last = Vec::new();
        file.read(start.saturating_sub(1), start, &mut last)
            .map_err(failed)?;
        let is_torn = last.last().is_some_and(|byte| *byte != b'\n');
        if is_torn {
            // Write the terminator and the lines at once. In between two writes, a reader could
            // take the new lines for the rest of the unfinished one.
            let ended = [b"\n", lines].concat();
            file.append(&ended).map_err(failed)?;
            start += 1;
        } else {
            file.append(lines).map_err(failed)?;
        }
        Ok(Appended {
            start,
            end: start + lines.len() as u64,
        })
    }
}

impl LogWriter<'_> {
    /// Appends one line or more. Each must end with a terminator.
    ///
    /// # Errors
    /// Returns an error if the lines can't be written, or if the log would exceed
    /// [`MAX_LOG_BYTES`]. None of the lines is in the log then, unless removing the partial lines
    /// fails as well.
    pub fn append(&mut self, lines: &[u8]) -> Result<Appended, StoreError> {
        let (file, path) = (&self.log.file, self.log.path());
        let end = file.bytes().map_err(|e| StoreError::io("read", path, e))?;
        // If there's an unfinished line, it takes one more byte to terminate it. Nobody could open
        // a log above the limit, so never exceed it.
        let after = end.saturating_add(lines.len() as u64 + 1);
        if after > MAX_LOG_BYTES {
            return Err(StoreError::too_large(path, after, MAX_LOG_BYTES));
        }
        // A single line doesn't count until its terminator is written. But if we write several and
        // that fails halfway, readers have already seen the first ones. Such a failure is less
        // likely if we reserve the space first.
        if memchr::memchr_iter(b'\n', lines).nth(1).is_some() {
            let bytes = lines.len() as u64 + 1;
            file.reserve(bytes)
                .map_err(|e| StoreError::io("write", path, e))?;
        }
        let appended = self.log.append_alone(lines);
        if appended.is_err() {
            self.log.take_back(end);
        }
        appended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> LockRequest {
        LockRequest::new(Duration::from_secs(5), "test")
    }

    fn append(log: &DurableLog, lines: &str) -> Appended {
        let mut writer = log.writer(&soon()).unwrap();
        writer.append(lines.as_bytes()).unwrap()
    }

    #[test]
    fn append_terminates_unfinished_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/events.jsonl");
        let root = RootedPath::new(dir.path());
        let log = DurableLog::open(&root.join("deep/events.jsonl"), &root.join("locks")).unwrap();
        let first = append(&log, "one\n");
        assert_eq!((first.start, first.end), (0, 4));
        log.commit(first, &soon()).unwrap();
        std::fs::write(&path, "one\ntw").unwrap();
        assert_eq!(log.whole_lines(0).unwrap(), b"one\n");
        let next = append(&log, "three\nfour\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntw\nthree\nfour\n");
        assert_eq!((next.start, next.end), (7, 18));
        assert_eq!(log.whole_lines(next.start).unwrap(), b"three\nfour\n");
    }

    #[test]
    fn append_above_limit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = RootedPath::new(dir.path());
        let open = || DurableLog::open(&root.join("events.jsonl"), &root.join("locks"));
        let log = open().unwrap();
        let file = File::options().write(true).open(log.path()).unwrap();
        file.set_len(MAX_LOG_BYTES - 5).unwrap();
        let mut writer = log.writer(&soon()).unwrap();
        let error = writer.append(b"five\n").unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
        assert_eq!(log.bytes().unwrap(), MAX_LOG_BYTES - 5);
        assert_eq!(writer.append(b"one\n").unwrap().end, MAX_LOG_BYTES);
        assert_eq!(open().unwrap().bytes().unwrap(), MAX_LOG_BYTES);
    }

    #[test]
    fn commit_covers_all_earlier_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let root = RootedPath::new(dir.path());
        let open = || DurableLog::open(&root.join("events.jsonl"), &root).unwrap();
        let log = open();
        let first = append(&log, "one\n");
        let second = append(&log, "two\n");
        log.commit(first, &soon()).unwrap();
        assert_eq!(log.file.synced(), second.end);
        // The record of one file must not apply to another file at the same path.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "another\n").unwrap();
        assert_eq!(open().file.synced(), 0);
        std::fs::write(dir.path().join("synced"), [7; 40]).unwrap();
        assert_eq!(log.file.synced(), 0);
    }
}
