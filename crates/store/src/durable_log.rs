use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::beneath::{self, Access, Folder};
use crate::log_disk::{FileDisk, LogDisk};
use crate::{FileMark, Lock, LockError, LockGuard, MAX_LOG_BYTES, RootedPath, StoreError};

/// Maximum time a rollback waits for a concurrent sync. After that, the partial lines stay in the
/// log.
const ROLL_BACK_TIMEOUT: Duration = Duration::from_secs(5);

/// Append-only log of complete lines with several writing processes. It never loses an acknowledged
/// line.
///
/// Acknowledged lines are never changed or removed. If a crash leaves an unfinished line, the next
/// append terminates it. Readers skip that line, since it was never acknowledged. If a write fails
/// halfway, for example on a full disk, its writer removes the partial lines, so that the append
/// can be retried.
///
/// A single call of [`LogDisk::sync`] makes the lines of all waiting processes durable (group
/// commit). If A is syncing while B and C append, one more sync covers both B and C.
pub struct DurableLog {
    disk: Arc<dyn LogDisk>,
    place: RootedPath,
    locks: LogLocks,
}

/// A log's two lock files. With separate locks, one process can append while another one syncs.
#[derive(Debug, Clone)]
struct LogLocks {
    /// Lock held while appending lines.
    append: RootedPath,
    /// Lock held while making lines durable.
    sync: RootedPath,
}

/// Exclusive right to append to a log.
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct LogWriter<'a> {
    log: &'a DurableLog,
    _guard: LockGuard,
}

/// The position of appended lines. Pass it to [`DurableLog::commit`] before acknowledging the
/// lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "appended lines are not durable before they are committed"]
pub struct Appended {
    /// Offset of the first appended line, in bytes.
    pub start: u64,
    /// Offset of the end of the last appended line, in bytes.
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
    /// Opens the log at `place`, creating it if necessary. The folder `beside` holds its lock files
    /// and the record of the durable size.
    ///
    /// # Errors
    /// Returns an error if the log cannot be opened or created, or if it is larger than
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
        let disk = FileDisk {
            file,
            place: place.clone(),
            mark: beside.join("synced"),
        };
        let log = Self::on(Arc::new(disk), place, beside);
        match log.bytes()? {
            bytes if bytes > MAX_LOG_BYTES => {
                Err(StoreError::too_large(place.path(), bytes, MAX_LOG_BYTES))
            }
            _ => Ok(log),
        }
    }

    /// Creates a log stored on `disk`. Error messages call it `place`, and its lock files are in
    /// the folder `beside`.
    #[must_use]
    pub fn on(disk: Arc<dyn LogDisk>, place: &RootedPath, beside: &RootedPath) -> Self {
        Self {
            disk,
            place: place.clone(),
            locks: LogLocks {
                append: beside.join("append.lock"),
                sync: beside.join("sync.lock"),
            },
        }
    }

    /// Returns the log's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Opens a log like [`DurableLog::open`], or returns `None` if it doesn't exist. Without write
    /// permission, the log is opened for reading only.
    ///
    /// # Errors
    /// Returns an error if the log cannot be opened.
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

    /// Returns the file's identity and state.
    ///
    /// # Errors
    /// Returns an error if the file no longer exists.
    pub fn mark(&self) -> Result<FileMark, StoreError> {
        let failed = |e| StoreError::io("read", self.path(), e);
        let mark = FileMark::of_path(&self.place).map_err(failed)?;
        mark.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Returns the size of the log in bytes.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.disk
            .bytes()
            .map_err(|e| StoreError::io("read", self.path(), e))
    }

    /// Returns the number of bytes known to be durable.
    #[must_use]
    pub fn synced_bytes(&self) -> u64 {
        self.disk.synced()
    }

    /// Returns the bytes from `from` to `to`, or to the end if that comes first.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        self.read_into(from, to, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads like [`DurableLog::read`], but replaces the contents of `bytes`. For large reads,
    /// reusing a buffer is faster than allocating a new one.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn read_into(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
        self.disk
            .read(from, to, bytes)
            .map_err(|e| StoreError::io("read", self.path(), e))
    }

    /// Returns the complete lines from offset `from` on. Bytes after the last line terminator are
    /// left out, since another process may still be writing that line.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn whole_lines(&self, from: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = self.read(from, u64::MAX)?;
        let end = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        bytes.truncate(end);
        Ok(bytes)
    }

    /// Waits up to `timeout` for the right to append. If other processes have to wait, they show
    /// `holder` as a description of this process.
    ///
    /// # Errors
    /// Returns an error if another process holds the right for the whole time.
    pub fn writer(&self, timeout: Duration, holder: &str) -> Result<LogWriter<'_>, LockError> {
        Ok(LogWriter {
            log: self,
            _guard: Lock::acquire_promptly(&self.locks.append, timeout, holder)?,
        })
    }

    /// Makes the lines at `appended` durable. If another process is syncing, waits for the end of
    /// that sync. A single further sync then serves all waiting processes.
    ///
    /// # Errors
    /// Returns an error if the lines may not be durable. The caller must not acknowledge them then.
    pub fn commit(
        &self,
        appended: Appended,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LockError> {
        let is_durable = || self.disk.synced() >= appended.end;
        let guard = Lock::acquire_unless(&self.locks.sync, timeout, holder, is_durable)?;
        let Some(guard) = guard else {
            return Ok(());
        };
        // Cover the lines of other processes, too. That saves them a sync of their own.
        let end = self.bytes()?;
        self.disk
            .sync()
            .map_err(|e| StoreError::io("make durable", self.path(), e))?;
        self.disk.note_synced(end);
        drop(guard);
        Ok(())
    }

    /// Removes the partial lines of a failed append, so that the log ends at offset `end` again.
    /// Leaves them if the sync lock isn't free in time.
    fn take_back(&self, end: u64) {
        // Hold the lock, since a concurrent sync would record the partial lines as durable. Other
        // lines written at the same offset would then count as durable too early.
        let Ok(_guard) = Lock::acquire_promptly(&self.locks.sync, ROLL_BACK_TIMEOUT, "windlass")
        else {
            return;
        };
        if self.disk.synced() > end {
            self.disk.note_synced(end);
        }
        if self.disk.synced() <= end {
            let _ = self.disk.take_back(end);
        }
    }

    /// Appends like [`LogWriter::append`], for callers with mutual exclusion of their own.
    /// Concurrent calls lose no lines, but the returned position may be wrong.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`LogWriter::append`].
    pub fn append_alone(&self, lines: &[u8]) -> Result<Appended, StoreError> {
        debug_assert!(lines.ends_with(b"\n"), "a log grows by whole lines");
        let failed = |e| StoreError::io("write", self.path(), e);
        let disk = &self.disk;
        let mut start = disk.bytes().map_err(failed)?;
        let mut last = Vec::new();
        disk.read(start.saturating_sub(1), start, &mut last)
            .map_err(failed)?;
        let is_torn = last.last().is_some_and(|byte| *byte != b'\n');
        if is_torn {
            // Use a single write for both parts. Otherwise a reader might take the new lines for
            // the rest of the unfinished one.
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
    /// Appends `lines`, one or more of them, each with a line terminator.
    ///
    /// # Errors
    /// Returns an error if the lines cannot be written, or if the log would exceed
    /// [`MAX_LOG_BYTES`]. None of the lines is in the log then, unless removing the partial lines
    /// fails as well.
    pub fn append(&mut self, lines: &[u8]) -> Result<Appended, StoreError> {
        let (disk, path) = (&self.log.disk, self.log.path());
        let end = disk.bytes().map_err(|e| StoreError::io("read", path, e))?;
        // Count one more byte, which may have to terminate an unfinished line. A log above the
        // limit can't be opened again.
        let after = end.saturating_add(lines.len() as u64 + 1);
        if after > MAX_LOG_BYTES {
            return Err(StoreError::too_large(path, after, MAX_LOG_BYTES));
        }
        // Readers ignore a single line until its terminator is written. Of several lines, however,
        // they would see the first ones if the write failed halfway. Reserving the space beforehand
        // makes that unlikely.
        if memchr::memchr_iter(b'\n', lines).nth(1).is_some() {
            let bytes = lines.len() as u64 + 1;
            disk.reserve(bytes)
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

    const SOON: Duration = Duration::from_secs(5);

    fn append(log: &DurableLog, lines: &str) -> Appended {
        let mut writer = log.writer(SOON, "test").unwrap();
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
        log.commit(first, SOON, "test").unwrap();
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
        let mut writer = log.writer(SOON, "test").unwrap();
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
        log.commit(first, SOON, "test").unwrap();
        assert_eq!(log.disk.synced(), second.end);
        // A file's record must not apply to another file at the same path.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "another\n").unwrap();
        assert_eq!(open().disk.synced(), 0);
        std::fs::write(dir.path().join("synced"), [7; 40]).unwrap();
        assert_eq!(log.disk.synced(), 0);
    }
}
