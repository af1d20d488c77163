use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::beneath::{self, Access, Folder};
use crate::log_disk::{FileDisk, LogDisk};
use crate::{FileMark, Lock, LockError, LockGuard, MAX_LOG_BYTES, RootedPath, StoreError};

/// How long to wait for a sync that goes on while something is taken back.
const TAKE_BACK: Duration = Duration::from_secs(5);

/// A log of whole lines that many processes append to, and that loses nothing that was acknowledged.
///
/// Nothing in it is ever changed or taken out. What a crash left of an unfinished line stays, ended by the next
/// append, for readers to pass over: it was never acknowledged. What could be written only in part, as on a full disk,
/// is taken back by its writer, so that it can be tried again. One call of [`LogDisk::sync`] serves all processes that wait
/// for theirs (group commit).
pub struct DurableLog {
    disk: Arc<dyn LogDisk>,
    place: RootedPath,
    locks: LogLocks,
}

/// The two locks of a log.
#[derive(Debug, Clone)]
struct LogLocks {
    /// Held while lines are appended.
    append: RootedPath,
    /// Held while what was appended is made durable.
    sync: RootedPath,
}

/// The right to append; nobody else appends meanwhile.
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct LogWriter<'a> {
    log: &'a DurableLog,
    _guard: LockGuard,
}

/// The place where appended lines end: what [`DurableLog::commit`] makes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "what was appended is not durable before it is committed"]
pub struct Appended {
    /// The place where the first of the lines begins.
    pub start: u64,
    /// The bytes of the log up to the last of them.
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
    /// The log at `place`, created if it is not there; its locks and its mark lie in `beside`.
    ///
    /// # Errors
    /// When it can be neither opened nor created, or has more bytes than [`MAX_LOG_BYTES`].
    pub fn open(place: &RootedPath, beside: &RootedPath) -> Result<Self, StoreError> {
        let failed = |e| StoreError::io("open", place.path(), e);
        let file = match (beneath::open(place, Access::Create), place.parent()) {
            (Err(e), Some(folder)) if e.kind() == io::ErrorKind::NotFound => {
                // It may lie in a repository, where others look into it.
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

    /// A log on `disk`, which is called `place` in messages; its locks lie in `beside`.
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

    /// Its place.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// The log at `place` as [`DurableLog::open`] opens it; `None` when it is not there. Where it cannot be written, it is
    /// opened for reading alone.
    ///
    /// # Errors
    /// When it cannot be opened.
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

    /// The identity of the file, and its state.
    ///
    /// # Errors
    /// When it is gone.
    pub fn mark(&self) -> Result<FileMark, StoreError> {
        let failed = |e| StoreError::io("read", self.path(), e);
        let mark = FileMark::of_path(&self.place).map_err(failed)?;
        mark.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// The number of bytes that it has.
    ///
    /// # Errors
    /// When the disk does not answer.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.disk
            .bytes()
            .map_err(|e| StoreError::io("read", self.path(), e))
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
            .map_err(|e| StoreError::io("read", self.path(), e))
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
        let is_durable = || self.disk.synced() >= appended.end;
        let guard = Lock::acquire_unless(&self.locks.sync, timeout, holder, is_durable)?;
        let Some(guard) = guard else {
            return Ok(());
        };
        // All that is there now becomes durable, also what others appended meanwhile.
        let end = self.bytes()?;
        self.disk
            .sync()
            .map_err(|e| StoreError::io("make durable", self.path(), e))?;
        self.disk.note_synced(end);
        drop(guard);
        Ok(())
    }

    /// Takes back what an append that failed left behind the first `end` bytes, where that is possible.
    fn take_back(&self, end: u64) {
        // Who makes something durable meanwhile would note it as well, and what comes in its place counted as durable.
        let Ok(_guard) = Lock::acquire_promptly(&self.locks.sync, TAKE_BACK, "windlass") else {
            return;
        };
        if self.disk.synced() > end {
            self.disk.note_synced(end);
        }
        if self.disk.synced() <= end {
            let _ = self.disk.take_back(end);
        }
    }

    /// As [`LogWriter::append`], for who keeps others away in another way. Nothing is lost by two of them at once, but
    /// the place that is given back may be wrong then.
    ///
    /// # Errors
    /// As [`LogWriter::append`].
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
    /// When they cannot be written, or the log would have more bytes than [`MAX_LOG_BYTES`]. None of them is there then, unless
    /// the disk does not even take back what it has of them.
    pub fn append(&mut self, lines: &[u8]) -> Result<Appended, StoreError> {
        let (disk, path) = (&self.log.disk, self.log.path());
        let end = disk.bytes().map_err(|e| StoreError::io("read", path, e))?;
        // With the end of a line that a crash left unfinished. A larger log could not be opened again.
        let after = end.saturating_add(lines.len() as u64 + 1);
        if after > MAX_LOG_BYTES {
            return Err(StoreError::too_large(path, after, MAX_LOG_BYTES));
        }
        // Of one line others see nothing before its terminator; of several they would see the first.
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
    fn it_grows_by_whole_lines_and_ends_what_a_crash_left() {
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
    fn append_above_the_limit_is_refused_and_the_log_opens() {
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
    fn a_sync_serves_all_that_was_appended_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let root = RootedPath::new(dir.path());
        let open = || DurableLog::open(&root.join("events.jsonl"), &root).unwrap();
        let log = open();
        let first = append(&log, "one\n");
        let second = append(&log, "two\n");
        log.commit(first, SOON, "test").unwrap();
        assert_eq!(log.disk.synced(), second.end);
        // What is noted of one file says nothing of another in its place.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "another\n").unwrap();
        assert_eq!(open().disk.synced(), 0);
        std::fs::write(dir.path().join("synced"), [7; 40]).unwrap();
        assert_eq!(log.disk.synced(), 0);
    }
}
