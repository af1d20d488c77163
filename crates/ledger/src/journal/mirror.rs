//! The copies of the log in working trees, where git carries them to others, and may replace them at any time.
//!
//! The log itself is beside git's own files, where no checkout, reset or merge reaches it. Readers fold the events that
//! only a copy has without writing anything; writers append those to the log before they decide; a copy is written by
//! `windlass events sync` alone, which the git hook runs. Nothing is ever removed from the log, and of a copy nothing
//! but conflict markers, when asked.

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

/// Maximum number of lines without an event that are remembered by number.
const MAX_ODD: usize = 20;

/// A copy of the log.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    path: RootedPath,
    home: RootedPath,
}

/// State of a copy whose events are all in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Taken {
    copy: FileMark,
    /// Hash of the last bytes of the copy: after a power cut it may be as long and hold something else.
    edge: String,
    log: FileMark,
    /// Length of the log at that time, in bytes: a shorter one has lost something.
    end: u64,
    odd: OddLines,
}

/// Lines of a copy that are no events.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OddLines {
    /// Their numbers, from 1.
    at: Vec<(usize, Oddity)>,
    /// Number of lines in the copy.
    lines: usize,
}

/// Contents of a copy, compared with the log.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Lines of the events that the log lacks, in the order of the copy.
    pub(crate) missing: Vec<u8>,
    /// The copy as it was compared; `None` if there is none.
    mark: Option<FileMark>,
    edge: String,
    odd: OddLines,
}

impl Mirror {
    /// Copies to read: that of the main working tree, and that of the one the caller is in.
    pub(crate) fn all(places: &Places) -> Vec<Self> {
        let paths = places.copies();
        let mirror = |path| Self {
            path,
            home: places.home(),
        };
        paths.into_iter().map(mirror).collect()
    }

    /// The copy as it is now, if that can be said.
    pub(crate) fn mark_if_readable(&self) -> Option<FileMark> {
        FileMark::of_path(&self.path).ok().flatten()
    }

    /// Path of the record about this copy.
    fn note(&self) -> RootedPath {
        let place = Digest::of_bytes(self.path.path().to_string_lossy().as_bytes()).hex();
        self.home.join(format!("copy-{}.json", &place[..16]))
    }

    /// The record about this copy; a missing or unreadable one only means that the copy is read once more.
    fn taken(&self) -> Option<Taken> {
        let bytes = read_file(&self.note(), 1 << 20).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn mark(&self) -> Result<Option<FileMark>, LedgerError> {
        match FileMark::of_path(&self.path) {
            Ok(mark) => Ok(mark),
            // Opening it says why.
            Err(_) => {
                Ok(RangedFile::open(&self.path)?
                    .and_then(|_| FileMark::of_path(&self.path).ok()?))
            }
        }
    }

    /// The record, if the copy is as it says and the log still has all of it.
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

    /// True if the log has all events of the copy, as far as is known without reading it.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn is_taken(&self, log: &DurableLog) -> Result<bool, LedgerError> {
        Ok(self.mark()?.is_none() || self.in_step(Some(log))?.is_some())
    }

    /// Compares the copy with the log, whose events `state` has applied. `None` if the log has all of it.
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
        // What follows the last terminator may still be being written.
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

    /// Records that the log has all of the copy as it was `compared`.
    ///
    /// # Errors
    /// When the record cannot be written.
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

    /// Warnings about lines that are no events: those in `compared`, or those on record.
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
                "{name}:{line}: git left conflict markers, since it merged the file without its union driver; the events of \
                 both sides count; `windlass events sync --clean` takes the markers out"
            ));
        }
        if let Some((line, _)) = others.first() {
            let count = counted(others.len(), "line");
            warnings.push(format!(
                "{name}:{line}: {count} there cannot be read as events; they were left as they are, and do not count"
            ));
        }
        Ok(warnings)
    }

    /// Lines of the events of `log` that the copy lacks, in the order of the log.
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

    /// Appends what the copy lacks of `log`, and makes the copy durable. Nobody else may do so at the same time: the
    /// caller has the right to write to the log.
    ///
    /// # Errors
    /// When the copy cannot be read or written.
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

    /// Takes the markers of a merge out of the copy; how many there were.
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

/// Hash of the last bytes of the file at `path`, which has `bytes`.
fn edge_of(path: &RootedPath, bytes: u64) -> Result<String, StoreError> {
    let Some(file) = RangedFile::open(path)?.filter(|file| file.bytes() >= bytes) else {
        return Ok(String::new());
    };
    let last = file.read(bytes.saturating_sub(checkpoint::EDGE)..bytes)?;
    Ok(checkpoint::edge_in(&last))
}
