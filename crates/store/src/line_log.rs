use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::PathBuf;

use crate::beneath::{self, Access, Folder};
use crate::versioned::open;
use crate::{Disk, RootedPath, StoreError};

/// A new file that only grows, by whole lines, as long as one process keeps it open.
///
/// What was appended survives the end of the process, not a power cut. A process that is ended in the
/// middle of a write leaves a last line without a terminator, which readers tell from the others.
#[derive(Debug)]
pub struct LineLog {
    file: File,
    path: PathBuf,
    /// How many bytes of whole lines it holds.
    length: u64,
}

/// The text of a [`LineLog`].
#[derive(Debug)]
pub struct LogText {
    bytes: Vec<u8>,
    /// True if the process that writes it still has it open.
    pub is_open: bool,
}

/// One line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// From 1.
    pub number: usize,
    /// Without its terminator.
    pub text: &'a [u8],
    /// True if it has a terminator. Without one it is the last, and may be the beginning of a longer one.
    pub is_whole: bool,
}

impl LineLog {
    /// Creates the log at `place`, for its owner alone, with missing parent folders.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be created.
    pub fn create(place: &RootedPath) -> Result<Self, StoreError> {
        let path = place.path();
        if let Some(folder) = place.parent() {
            Folder::make(&folder, 0o700, false)
                .map_err(|e| StoreError::io("create the folder", folder.path(), e))?;
        }
        let file = beneath::open(place, Access::CreateNew)
            .map_err(|e| StoreError::io("create", path, e))?;
        // Only tells readers that somebody is still writing; nothing depends on it where locks do not work.
        let _ = file.try_lock();
        Ok(Self {
            file,
            path: path.to_owned(),
            length: 0,
        })
    }

    /// Appends `lines`: one or more, each with its terminator.
    ///
    /// # Errors
    /// When they cannot be written. What was written of them is taken back, as far as that can be done, so that a
    /// shorter line may still find room behind what was there before.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        debug_assert!(lines.ends_with(b"\n"), "a log grows by whole lines");
        if let Err(error) = self.file.write_all(lines) {
            let _ = self.file.set_len(self.length);
            return Err(StoreError::io("write", &self.path, error));
        }
        self.length += lines.len() as u64;
        Ok(())
    }
}

/// Reads the log at `place`, up to `max_bytes`; `None` when there is none.
///
/// # Errors
/// When it cannot be read, or is longer.
pub fn read_log(place: &RootedPath, max_bytes: u64) -> Result<Option<LogText>, StoreError> {
    let path = place.path();
    let failed = |e| StoreError::io("read", path, e);
    let Some(file) = open(place)? else {
        return Ok(None);
    };
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

/// Reads the first line of the log at `place`, without its terminator; `None` when there is no log, or none
/// whose first line is whole within `max_bytes`.
///
/// # Errors
/// When it cannot be read.
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

/// Removes the log at `place`, unless somebody is still writing it; whether it was removed.
///
/// # Errors
/// When it cannot be opened or removed.
pub fn remove_log(place: &RootedPath) -> Result<bool, StoreError> {
    let file = beneath::open(place, Access::Read);
    let file = file.map_err(|e| StoreError::io("read", place.path(), e))?;
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(false);
    }
    Disk::default().remove(place)?;
    Ok(true)
}

impl LogText {
    /// Its lines, in order.
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

    fn told(text: &LogText) -> Vec<String> {
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
    fn it_grows_by_lines_and_says_whether_somebody_writes() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("deep/log.jsonl");
        assert!(read_log(&path, 99).unwrap().is_none());
        let mut log = LineLog::create(&path).unwrap();
        assert_eq!(told(&read_log(&path, 99).unwrap().unwrap()), [""; 0]);
        log.append(b"one\n").unwrap();
        log.append(b"two\n\nfour\n").unwrap();
        let text = read_log(&path, 99).unwrap().unwrap();
        assert_eq!(told(&text), ["1 one", "2 two", "3 ", "4 four"]);
        assert!(text.is_open);
        drop(log);
        assert!(!read_log(&path, 99).unwrap().unwrap().is_open);
        assert!(LineLog::create(&path).is_err(), "nothing is written over");
    }

    #[test]
    fn a_torn_line_is_told_from_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("log");
        std::fs::write(path.path(), "one\ntw").unwrap();
        let text = read_log(&path, 6).unwrap().unwrap();
        assert_eq!(told(&text), ["1 one", "2 tw …"]);
        let error = read_log(&path, 5).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { limit: 5, .. }));
    }

    #[test]
    fn logs_are_removed_once_nobody_writes_them() {
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
    fn it_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("log");
        let _log = LineLog::create(&path).unwrap();
        let mode = std::fs::metadata(path.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
