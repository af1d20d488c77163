//! Log copies in working trees. Git shares them with other clones and may replace them at any time.
//!
//! The log itself is in git's common folder, out of reach of checkouts, resets and merges. After a
//! user pulls a commit with another clone's events, those events are only in the copy. Readers
//! apply them straight from there without writing anything. The next writer appends them to the log
//! before it makes any decision of its own.
//!
//! Only `windlass events sync`, run by the git hook, writes a copy. Neither the log nor a copy ever
//! loses an event, but conflict markers can be removed from a copy on request.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, counted};
use windlass_store::{
    Appended, Durability, DurableLog, FileMark, LockRequest, LogWriter, MAX_LOG_BYTES, RangedFile,
    RootedPath, StoreError, read_file, write_atomic,
};

use super::checkpoint;
use crate::event::{Oddity, oddity};
use crate::{LedgerError, Places, State, fold};

/// Number of odd lines (lines that are not events) to record for warnings. We only report the first
/// of each kind, so there is no need for more.
const MAX_ODD: usize = 20;

/// A copy of the log in a working tree.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    path: RootedPath,
    home: RootedPath,
}

/// Note that the log has all events of a copy. As long as it matches the copy, the copy need not be
/// read again.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Taken {
    copy: FileMark,
    /// Hash of the copy's last bytes. The length alone is not enough, because after a power cut a
    /// file may have the same length and different contents.
    edge: String,
    log: FileMark,
    /// Length of the log at that time, in bytes. A shorter log has lost events since.
    end: u64,
    odd: OddLines,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OddLines {
    /// Line numbers, from 1, with the kind of each line.
    at: Vec<(usize, Oddity)>,
    lines: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Lines of the events missing from the log, in the copy's order.
    pub(crate) missing: Vec<u8>,
    /// The copy's mark at the time of the comparison; `None` if the copy was changed meanwhile.
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

    pub(crate) fn mark_if_readable(&self) -> Option<FileMark> {
        FileMark::of_path(&self.path).ok().flatten()
    }

    fn note(&self) -> RootedPath {
        let place = Digest::of_bytes(self.path.path().to_string_lossy().as_bytes()).hex();
        self.home.join(format!("copy-{}.json", &place[..16]))
    }

    /// Reads the note about this copy. If we cannot read it, that only means that we have to read
    /// the copy again.
    fn taken(&self) -> Option<Taken> {
        let bytes = read_file(&self.note(), 1 << 20).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn mark(&self) -> Result<Option<FileMark>, LedgerError> {
        match FileMark::of_path(&self.path) {
            Ok(mark) => Ok(mark),
            // Open the file instead, for a more precise error.
            Err(_) => {
                Ok(RangedFile::open(&self.path)?
                    .and_then(|_| FileMark::of_path(&self.path).ok()?))
            }
        }
    }

    /// Returns the note if it still matches the copy, and the log still has all of the copy's
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

    /// Returns true if the log is known to have all events of the copy, without reading the copy.
    ///
    /// # Errors
    /// Returns an error if the log or the copy cannot be read.
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
        // The file may have grown while we read it. Without a mark, we don't write a note about
        // this comparison.
        let mark = self.mark()?.filter(|mark| mark.bytes == bytes.len() as u64);
        let mut compared = Compared {
            mark,
            edge: checkpoint::edge_in(&bytes),
            ..Compared::default()
        };
        // An event may be in the copy twice, for example after a merge.
        let mut known = BTreeSet::new();
        // An unterminated last line may still be being written, so ignore it.
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

    /// Writes a note that the log now has all events of the compared copy.
    ///
    /// # Errors
    /// Returns an error if the record cannot be written.
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

    /// Returns warnings about lines that are not events, taken from `compared` or, if the copy
    /// was not read, from the note.
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
    /// Returns an error if the copy cannot be read or written.
    pub(crate) fn complete(&self, log: &[u8], _guard: &LogWriter<'_>) -> Result<(), LedgerError> {
        let lines = self.lacks(log)?;
        if lines.is_empty() {
            return Ok(());
        }
        // The caller's lock on the log already excludes other writers of the copy.
        let copy = DurableLog::open(&self.path, &self.home.join("copy"))?;
        let _ = copy.append_alone(&lines)?;
        let all = Appended {
            start: 0,
            end: copy.bytes()?,
        };
        let timeout = std::time::Duration::from_secs(5);
        let request = LockRequest::new(timeout, "windlass events sync");
        Ok(copy.commit(all, &request)?)
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
