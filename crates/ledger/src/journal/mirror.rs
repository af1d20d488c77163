//! Log copies in working trees. Git shares them with other clones and may replace them at any time.
//!
//! The log itself is in git's common folder, out of reach of checkouts, resets and merges. Say a
//! user pulls a commit in which another clone's copy gained an event. Readers apply the event
//! straight from the copy, without writing anything. The next writer appends it to the log before
//! making any decision of its own.
//!
//! Only `windlass events sync`, which the git hook runs, writes a copy. Neither the log nor a copy
//! ever loses an event. Conflict markers are removed from a copy on request.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, counted};
use windlass_store::{
    Appended, Durability, DurableLog, FileMark, LogWriter, MAX_LOG_BYTES, RangedFile, RootedPath,
    StoreError, read_file, write_atomic,
};

use super::checkpoint;
use crate::event::{Oddity, oddity};
use crate::{LedgerError, Places, State, fold};

/// Maximum number of odd lines (lines without an event) to record for warnings.
const MAX_ODD: usize = 20;

/// A copy of the log in a working tree.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    path: RootedPath,
    home: RootedPath,
}

/// Record that the log has all events of a copy. While it matches, we don't need to read the copy
/// again.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Taken {
    copy: FileMark,
    /// Hash of the copy's last bytes. After a power cut, a file may have the same length but
    /// different contents.
    edge: String,
    log: FileMark,
    /// Length of the log at that time, in bytes. If the log is shorter now, it has lost events.
    end: u64,
    odd: OddLines,
}

/// A copy's lines that aren't events.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OddLines {
    /// Line numbers, from 1, with the kind of each line.
    at: Vec<(usize, Oddity)>,
    /// Number of lines in the copy.
    lines: usize,
}

/// Result of comparing a copy with the log.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Lines of the events missing from the log, in the copy's order.
    pub(crate) missing: Vec<u8>,
    /// The copy's mark at the time of the comparison. `None` if the copy changed meanwhile.
    mark: Option<FileMark>,
    edge: String,
    odd: OddLines,
}

impl Mirror {
    /// Returns the copies to read: the one in the main working tree and the one in the caller's.
    pub(crate) fn all(places: &Places) -> Vec<Self> {
        let paths = places.copies();
        let mirror = |path| Self {
            path,
            home: places.home(),
        };
        paths.into_iter().map(mirror).collect()
    }

    /// Returns the copy's mark, if it can be read.
    pub(crate) fn mark_if_readable(&self) -> Option<FileMark> {
        FileMark::of_path(&self.path).ok().flatten()
    }

    /// Returns the path of the record about this copy.
    fn note(&self) -> RootedPath {
        let place = Digest::of_bytes(self.path.path().to_string_lossy().as_bytes()).hex();
        self.home.join(format!("copy-{}.json", &place[..16]))
    }

    /// Reads the record about this copy. If it's missing or unreadable, we just read the copy
    /// again.
    fn taken(&self) -> Option<Taken> {
        let bytes = read_file(&self.note(), 1 << 20).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn mark(&self) -> Result<Option<FileMark>, LedgerError> {
        match FileMark::of_path(&self.path) {
            Ok(mark) => Ok(mark),
            // Opening the file reports a more precise error.
            Err(_) => {
                Ok(RangedFile::open(&self.path)?
                    .and_then(|_| FileMark::of_path(&self.path).ok()?))
            }
        }
    }

    /// Returns the record if it still matches the copy and the log still has all of the copy's
    /// events.
    fn in_step(&self, log: Option<&DurableLog>) -> Result<Option<Taken>, LedgerError> {
        let (Some(mark), Some(taken), Some(log)) = (self.mark()?, self.taken(), log) else {
            return Ok(None);
        };
        let log_now = log.mark()?;
        let is_same = taken.copy == mark
            && taken.log.is_same_file(&log_now)
            && taken.end <= log_now.bytes
            && edge_of(&self.path, mark.bytes)? == taken.edge;
        Ok(is_same.then_some(taken))
    }

    /// True if the log is known to have all events of the copy, without reading the copy.
    ///
    /// # Errors
    /// Returns an error if the log or the copy can't be read.
    pub(crate) fn is_taken(&self, log: &DurableLog) -> Result<bool, LedgerError> {
        Ok(self.mark()?.is_none() || self.in_step(Some(log))?.is_some())
    }

    /// Compares the copy with the log, whose events `state` has applied. Returns `None` if the log
    /// has all of the copy's events.
    pub(crate) fn compare(
        &self,
        log: Option<&DurableLog>,
        state: &State,
    ) -> Result<Option<Compared>, LedgerError> {
        if self.mark()?.is_none() || self.in_step(log)?.is_some() {
            return Ok(None);
        }
        let Some(bytes) = read_file(&self.path, MAX_LOG_BYTES)? else {
            return Ok(None);
        };
        let mark = self.mark()?.filter(|mark| mark.bytes == bytes.len() as u64);
        let mut compared = Compared {
            mark,
            edge: checkpoint::edge_in(&bytes),
            ..Compared::default()
        };
        let mut known = BTreeSet::new();
        // An unterminated last line may still be in the middle of being written, so ignore it.
        for (_, line) in fold::lines(whole_lines(&bytes), 0) {
            compared.odd.lines += 1;
            let Some(event) = fold::event_of(line) else {
                compared.odd.note(line);
                continue;
            };
            let id = event.event_id.into_owned();
            if !state.has_seen(&id) && known.insert(id) {
                push_line(&mut compared.missing, line);
            }
        }
        Ok(Some(compared))
    }

    /// Records that the log now has all events of the compared copy.
    ///
    /// # Errors
    /// Returns an error if the record can't be written.
    pub(crate) fn note_taken(
        &self,
        compared: Compared,
        log: &DurableLog,
    ) -> Result<(), LedgerError> {
        let Some(copy) = compared.mark else {
            return Ok(());
        };
        let taken = Taken {
            copy,
            edge: compared.edge,
            log: log.mark()?,
            end: log.bytes()?,
            odd: compared.odd,
        };
        let bytes = serde_json::to_vec(&taken)?;
        Ok(write_atomic(&self.note(), &bytes, Durability::Relaxed)?)
    }

    /// Returns warnings about lines that aren't events, taken from `compared` or else from the
    /// record.
    pub(crate) fn warnings(
        &self,
        compared: Option<&Compared>,
        log: Option<&DurableLog>,
    ) -> Result<Vec<String>, LedgerError> {
        let odd = match compared {
            Some(compared) => compared.odd.at.clone(),
            None => self
                .in_step(log)?
                .map(|taken| taken.odd.at)
                .unwrap_or_default(),
        };
        let odd = odd.into_iter().filter(|(_, what)| *what != Oddity::Torn);
        let (markers, others): (Vec<_>, Vec<_>) =
            odd.partition(|(_, what)| *what == Oddity::ConflictMarker);
        let mut warnings = Vec::new();
        let name = ".beads/events.jsonl";
        if let Some((line, _)) = markers.first() {
            warnings.push(format!(
                "{name}:{line}: git left conflict markers, as it merged the file without the union driver; the events of both sides \
                 count; run `windlass events sync --clean` to remove the markers"
            ));
        }
        if let Some((line, _)) = others.first() {
            let count = counted(others.len(), "line");
            warnings.push(format!(
                "{name}:{line}: {count} without an event, kept and ignored"
            ));
        }
        Ok(warnings)
    }

    /// Returns the lines of `log` whose events are missing from the copy, in log order.
    pub(crate) fn lacks(&self, log: &[u8]) -> Result<Vec<u8>, LedgerError> {
        let bytes = read_file(&self.path, MAX_LOG_BYTES)?.unwrap_or_default();
        let copied = fold::lines(whole_lines(&bytes), 0);
        let mut known: BTreeSet<String> = copied
            .filter_map(|(_, line)| Some(fold::event_of(line)?.event_id.into_owned()))
            .collect();
        let mut lines = Vec::new();
        for (_, line) in fold::lines(log, 0) {
            if let Some(event) = fold::event_of(line)
                && known.insert(event.event_id.into_owned())
            {
                push_line(&mut lines, line);
            }
        }
        Ok(lines)
    }

    /// Appends the events of `log` missing from the copy and makes the copy durable. The caller
    /// must hold the log's writer lock.
    ///
    /// # Errors
    /// Returns an error if the copy can't be read or written.
    pub(crate) fn complete(&self, log: &[u8], _guard: &LogWriter<'_>) -> Result<(), LedgerError> {
        let lines = self.lacks(log)?;
        if lines.is_empty() {
            return Ok(());
        }
        let copy = DurableLog::open(&self.path, &self.home.join("copy"))?;
        let _ = copy.append_alone(&lines)?;
        let all = Appended {
            start: 0,
            end: copy.bytes()?,
        };
        let timeout = std::time::Duration::from_secs(5);
        Ok(copy.commit(all, timeout, "windlass events sync")?)
    }

    /// Removes git conflict markers from the copy. Returns the number of removed lines.
    pub(crate) fn clean(&self) -> Result<usize, LedgerError> {
        let Some(bytes) = read_file(&self.path, MAX_LOG_BYTES)? else {
            return Ok(0);
        };
        let is_marker = |line: &[u8]| {
            fold::event_of(line).is_none() && oddity(line) == Some(Oddity::ConflictMarker)
        };
        let lines: Vec<&[u8]> = fold::lines(&bytes, 0).map(|(_, line)| line).collect();
        let kept: Vec<&[u8]> = lines
            .iter()
            .copied()
            .filter(|line| !is_marker(line))
            .collect();
        let markers = lines.len() - kept.len();
        if markers > 0 {
            let text = kept
                .iter()
                .flat_map(|line| line.iter().chain(b"\n"))
                .copied();
            windlass_store::write_shared(&self.path, &text.collect::<Vec<u8>>())?;
        }
        Ok(markers)
    }
}

impl OddLines {
    fn note(&mut self, line: &[u8]) {
        if self.at.len() < MAX_ODD
            && let Some(what) = oddity(line)
        {
            self.at.push((self.lines, what));
        }
    }
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)]
}

fn push_line(lines: &mut Vec<u8>, line: &[u8]) {
    lines.extend(line.trim_ascii_end());
    lines.push(b'\n');
}

/// Returns the hash of the last bytes of the file at `path`, assuming a length of `bytes`.
fn edge_of(path: &RootedPath, bytes: u64) -> Result<String, StoreError> {
    let Some(file) = RangedFile::open(path)?.filter(|file| file.bytes() >= bytes) else {
        return Ok(String::new());
    };
    let last = file.read(bytes.saturating_sub(checkpoint::EDGE)..bytes)?;
    Ok(checkpoint::edge_in(&last))
}
