//! Logs with a single writer.

use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, Read as _, Write as _};

use crate::beneath::{self, Access, Folder};
use crate::versioned::open;
use crate::{DiskCall, RootedPath, StoreError, remove_file};

/// A new append-only file of complete lines. Unlike for a [`DurableLog`](crate::DurableLog), the
/// process that created it is the only writer.
///
/// Lines survive the end of the process, but not necessarily a power failure. If the process ends
/// in the middle of a write, the last line has no terminator, from which readers know that it's
/// incomplete.
#[derive(Debug)]
pub struct LineLog {
    file: File,
    place: RootedPath,
    /// Size of the complete lines, in bytes. If a write fails halfway, we cut the file off here.
    length: u64,
}

/// The contents of a [`LineLog`] at the time of reading.
#[derive(Debug)]
pub struct LogText {
    bytes: Vec<u8>,
    /// True if the writer still has the log open, so more lines may follow.
    pub is_open: bool,
}

/// A line of a [`LogText`], complete or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// Line number (1-based).
    pub number: usize,
    /// The line without its terminator.
    pub text: &'a [u8],
    /// False if the line has no terminator, so that it may be incomplete. Only the last line can be
    /// like that.
    pub is_whole: bool,
}

impl LineLog {
    /// Creates the log at `place`, along with any missing parent folders. Only its owner can read
    /// the log.
    ///
    /// # Errors
    /// Returns an error if the file already exists, or if creating it fails.
    pub fn create(place: &RootedPath) -> Result<Self, StoreError> {
        let path = place.path();
        if let Some(folder) = place.parent() {
            Folder::make(&folder, 0o700, false)
                .map_err(|e| StoreError::io("create the folder", folder.path(), e))?;
        }
        let file = beneath::open(place, Access::CreateNew)
            .map_err(|e| StoreError::io("create", path, e))?;
        // This lock tells readers that the writer is still active. On a file system without locks,
        // they take the log for complete, which does no harm.
        let _ = file.try_lock();
        Ok(Self {
            file,
            place: place.clone(),
            length: 0,
        })
    }

    /// Appends one line or more, each with a terminator.
    ///
    /// # Errors
    /// Returns an error if writing the lines fails. We then try to remove the partial write,
    /// because a shorter line may still fit.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        debug_assert!(lines.ends_with(b"\n"), "a log grows by whole lines");
        let call = self.place.call(|path| DiskCall::Append(path, lines));
        if let Err(error) = call.and_then(|()| self.file.write_all(lines)) {
            let call = self
                .place
                .call(|path| DiskCall::Truncate(path, self.length));
            let _ = call.and_then(|()| self.file.set_len(self.length));
            return Err(StoreError::io("write", self.place.path(), error));
        }
        self.length += lines.len() as u64;
        Ok(())
    }
}

/// Reads the log at `place`, or returns `None` for a missing log.
///
/// # Errors
/// Returns an error if the log is unreadable or larger than `max_bytes`.
pub fn read_log(place: &RootedPath, max_bytes: u64) -> Result<Option<LogText>, StoreError> {
    let path = place.path();
    let failed = |e| StoreError::io("read", path, e);
    let Some(file) = open(place)? else {
        return Ok(None);
    };
    // As long as the log is open, its writer has an exclusive lock.
    let is_open = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let mut bytes = Vec::new();
    (&file)
        .take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > max_bytes {
        return Err(StoreError::too_large(path, bytes.len() as u64, max_bytes));
    }
    Ok(Some(LogText { bytes, is_open }))
}

/// Reads the first line of the log at `place`, without its terminator. Returns `None` if there's no
/// log, or if the line is incomplete or longer than `max_bytes`.
///
/// # Errors
/// Returns an error if reading the log fails.
pub fn read_first_line(place: &RootedPath, max_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let failed = |e| StoreError::io("read", place.path(), e);
    let Some(file) = open(place)? else {
        return Ok(None);
    };
    let mut line = Vec::new();
    io::BufReader::new(file.take(max_bytes))
        .read_until(b'\n', &mut line)
        .map_err(failed)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

/// Removes the log at `place`, unless its writer is still active. Returns true if it was removed.
///
/// # Errors
/// Returns an error if opening or removing the log fails.
pub fn remove_log(place: &RootedPath) -> Result<bool, StoreError> {
    let file = beneath::open(place, Access::Read);
    let file = file.map_err(|e| StoreError::io("read", place.path(), e))?;
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(false);
    }
    remove_file(place)?;
    Ok(true)
}

impl LogText {
    /// The lines in order, including a last line without a terminator.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = LogLine<'_>> {
        let is_terminated = self.bytes.ends_with(b"\n");
        let body = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let lines: Vec<&[u8]> = if self.bytes.is_empty() {
            Vec::new()
        } else {
            body.split(|byte| *byte == b'\n').collect()
        };
        let count = lines.len();
        lines
            .into_iter()
            .enumerate()
            .map(move |(at, text)| LogLine {
                number: at + 1,
                text,
                is_whole: is_terminated || at + 1 < count,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &LogText) -> Vec<String> {
        let tell = |line: LogLine<'_>| {
            let end = if line.is_whole { "" } else { " …" };
            format!(
                "{} {}{end}",
                line.number,
                String::from_utf8_lossy(line.text)
            )
        };
        text.lines().map(tell).collect()
    }

    #[test]
    fn line_log_grows_and_shows_writer() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("deep/log.jsonl");
        assert!(read_log(&path, 99).unwrap().is_none());
        let mut log = LineLog::create(&path).unwrap();
        assert_eq!(formatted(&read_log(&path, 99).unwrap().unwrap()), [""; 0]);
        log.append(b"one\n").unwrap();
        log.append(b"two\n\nfour\n").unwrap();
        let text = read_log(&path, 99).unwrap().unwrap();
        assert_eq!(formatted(&text), ["1 one", "2 two", "3 ", "4 four"]);
        assert!(text.is_open);
        drop(log);
        assert!(!read_log(&path, 99).unwrap().unwrap().is_open);
        assert!(
            LineLog::create(&path).is_err(),
            "existing files are not overwritten"
        );
    }

    #[test]
    fn line_log_torn_line_is_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("log");
        std::fs::write(path.path(), "one\ntw").unwrap();
        let text = read_log(&path, 6).unwrap().unwrap();
        assert_eq!(formatted(&text), ["1 one", "2 tw …"]);
        let error = read_log(&path, 5).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { limit: 5, .. }));
    }

    #[test]
    fn remove_log_waits_for_writer() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RootedPath::new(dir.path()).join("logs");
        let open = LineLog::create(&folder.join("b.jsonl")).unwrap();
        let mut done = LineLog::create(&folder.join("a.jsonl")).unwrap();
        done.append(b"first\nsecond\n").unwrap();
        drop(done);
        let path = |name: &str| folder.join(name);
        let first = |name: &str, max| read_first_line(&path(name), max).unwrap();
        assert_eq!(first("a.jsonl", 99).unwrap(), b"first");
        assert_eq!(first("a.jsonl", 5), None);
        assert_eq!(first("b.jsonl", 99), None);
        assert!(remove_log(&path("a.jsonl")).unwrap());
        assert!(!remove_log(&path("b.jsonl")).unwrap());
        drop(open);
        assert!(remove_log(&path("b.jsonl")).unwrap());
        assert!(remove_log(&path("b.jsonl")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn line_log_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("log");
        let _log = LineLog::create(&path).unwrap();
        let mode = std::fs::metadata(path.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
