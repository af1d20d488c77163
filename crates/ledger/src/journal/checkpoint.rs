//! A checkpoint is the state at some positions of the log, saved as rows. A command that loads it
//! only has to read the lines after the newest position.
//!
//! The file `checkpoint` is the manifest. It lists the segments of the log and, for each segment,
//! the files in `checkpoint.parts` with the rows changed by that segment (see [`crate::rows`]).
//! These files never change. Saving writes the newest segment to new files and replaces the
//! manifest, while other processes keep reading the files they have open.
//!
//! As the log grows, segments are merged, so that old ones are longer than new ones. This matters
//! when an event from another clone belongs before events already applied. The state then goes back
//! to the last position before that event, and only the events after it are applied again. A
//! checkpoint may be deleted at any time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_store::{
    Durability, DurableLog, FileMark, Lock, LockError, LockRequest, MAX_LOG_BYTES, RootedPath,
    StoreError, read_file, remove_file, write_atomic,
};

use super::part_folder::PartFolder;
use crate::event::OrderKey;
use crate::rows::{Built, PartInfo, Run, Runs, merged};
use crate::state::{LinePlace, State};
use crate::{LedgerError, Places};

const FORMAT: &str = "windlass-ledger-checkpoint";
/// Format version. Increase it whenever the rows or the effects of an event change. Checkpoints of
/// another version are ignored, but one that still passes for the current version would be misread.
const VERSION: u32 = 16;
/// Number of bytes to hash before a position. The hash shows whether a log is the one that the
/// checkpoint was made from.
pub(crate) const EDGE: u64 = 4096;
/// Number of newly applied bytes after which a checkpoint is due. Every command has to apply the
/// lines after the last checkpoint, so this is small.
const SAVE_INTERVAL: u64 = 32 << 10;
/// Maximum ratio between the ages of two neighbouring positions.
///
/// This is a trade-off. A late event makes us apply at most this many times the log that came after
/// it, so a small ratio makes late events cheap. But a small ratio also makes for more runs, and
/// reads have to look into all of them: 17 in a log of 300 MB, as opposed to 7 with a ratio of 6.
const RATIO: u64 = 2;

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    log: FileMark,
    segments: Vec<SavedSegment>,
}

impl Manifest {
    /// Parses a manifest: a checksum, followed by JSON. Returns `None` if it's damaged or has
    /// another version.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (check, json) = bytes.split_first_chunk()?;
        if u32::from_le_bytes(*check) != crc32fast::hash(json) {
            return None;
        }
        let manifest: Self = serde_json::from_slice(json).ok()?;
        (manifest.format == FORMAT && manifest.version == VERSION).then_some(manifest)
    }

    fn to_bytes(&self) -> Result<Vec<u8>, LedgerError> {
        let json = serde_json::to_vec(self)?;
        let check = crc32fast::hash(&json).to_le_bytes();
        Ok([&check[..], &json].concat())
    }
}

#[derive(Serialize, Deserialize)]
struct SavedSegment {
    mark: Mark,
    parts: Vec<PartInfo>,
}

/// A position in the log, with the last event before it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mark {
    end: u64,
    /// Hash of the log bytes right before the position, and of the lines in `early`.
    edge: String,
    last: Option<OrderKey>,
    /// Lines after the position whose events come before `last`. They're part of the segment as
    /// well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    early: Vec<LinePlace>,
}

impl Mark {
    fn edge_of(log: &DurableLog, end: u64, early: &[LinePlace]) -> Result<String, StoreError> {
        let mut edge = edge(log, end)?;
        for place in early {
            let line = log.read(place.start, place.start + u64::from(place.bytes))?;
            edge = hash(&[edge.as_bytes(), &line].concat());
        }
        Ok(edge)
    }

    fn is_of(&self, log: &DurableLog, bytes: u64) -> Result<bool, StoreError> {
        let ends = self
            .early
            .iter()
            .map(|place| place.start + u64::from(place.bytes));
        Ok(ends.chain([self.end]).all(|end| end <= bytes)
            && Self::edge_of(log, self.end, &self.early)? == self.edge)
    }
}

#[derive(Debug)]
struct Segment {
    mark: Mark,
    run: Arc<Run>,
}

/// The segments of a log, oldest first.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    manifest: RootedPath,
    lock: RootedPath,
    segments: Vec<Segment>,
    /// The manifest's digest when it was last read or written.
    saved: Option<Digest>,
    /// True if another process has replaced the manifest.
    is_outdated: bool,
    parts: PartFolder,
    /// See [`SAVE_INTERVAL`]. Tests use less.
    interval: u64,
}

impl Checkpoint {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            manifest: places.home().join("checkpoint"),
            parts: PartFolder::at(places.home().join("checkpoint.parts")),
            lock: places.home().join("checkpoint.lock"),
            segments: Vec::new(),
            saved: None,
            is_outdated: false,
            interval: SAVE_INTERVAL,
        }
    }

    #[cfg(test)]
    pub(crate) fn set_interval(&mut self, interval: u64) {
        self.interval = interval;
    }

    pub(crate) fn interval(&self) -> u64 {
        self.interval
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    pub(crate) fn path(&self) -> &Path {
        self.manifest.path()
    }

    /// Returns the path of the parts folder if there is something other than a folder. We can't
    /// save a checkpoint then.
    pub(crate) fn blocked_folder(&self) -> Option<&Path> {
        self.parts.blocked()
    }

    pub(crate) fn remove(&self) -> Result<(), LedgerError> {
        Ok(remove_file(&self.manifest)?)
    }

    pub(crate) fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    pub(crate) fn is_due(&self, end: u64) -> bool {
        end.saturating_sub(self.end()) >= self.interval || self.has_unsaved()
    }

    fn has_unsaved(&self) -> bool {
        let parts = self.segments.iter().flat_map(|segment| &segment.run.parts);
        parts.into_iter().any(|part| part.unsaved().is_some())
    }

    pub(crate) fn end(&self) -> u64 {
        self.segments.last().map_or(0, |segment| segment.mark.end)
    }

    /// Returns the lines after [`Self::end`] whose events are already part of the segments.
    pub(crate) fn early(&self) -> BTreeSet<LinePlace> {
        let last = self.segments.last();
        last.map_or_else(BTreeSet::new, |last| {
            last.mark.early.iter().copied().collect()
        })
    }

    /// Returns true if all events of the segments come before `key`, so that its event can be
    /// applied on top of them.
    pub(crate) fn is_before(&self, key: &OrderKey) -> bool {
        let last = self
            .segments
            .last()
            .and_then(|segment| segment.mark.last.as_ref());
        last.is_none_or(|last| last < key)
    }

    pub(crate) fn pop(&mut self) -> bool {
        self.segments.pop().is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.segments.clear();
        self.parts.forget_damage();
    }

    pub(crate) fn state(&mut self) -> State {
        State::on(&self.runs()).unwrap_or_else(|| {
            self.clear();
            State::default()
        })
    }

    fn runs(&self) -> Runs {
        let runs = self.segments.iter().map(|segment| Arc::clone(&segment.run));
        Runs::new(runs.collect(), self.parts.damage())
    }

    pub(crate) fn load(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        self.clear();
        (self.saved, self.is_outdated) = (None, false);
        // Another process may replace the manifest and remove the parts that only the old one
        // lists. If that happens between our reads, the second attempt finds the new manifest.
        for _ in 0..2 {
            let Some(bytes) = read_file(&self.manifest, MAX_LOG_BYTES)? else {
                return Ok(());
            };
            self.saved = Some(Digest::of_bytes(&bytes));
            let Some(manifest) = Manifest::parse(&bytes) else {
                return Ok(());
            };
            if !manifest.log.is_same_file(&log.mark()?) {
                return Ok(());
            }
            // Each segment only has the rows that changed since the one before, so the segments
            // after a missing one are useless.
            let segments = manifest.segments.iter().map_while(|saved| self.open(saved));
            self.segments = segments.collect();
            if self.segments.len() == manifest.segments.len() {
                break;
            }
        }
        self.drop_foreign(log)
    }

    /// Forgets segments that don't match the current contents of `log`.
    pub(crate) fn drop_foreign(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        let bytes = log.bytes()?;
        // A log usually only grows. If the newest mark matches, so do the older ones, and there's
        // no need to read the log at each of them.
        while let Some(Segment { mark, .. }) = self.segments.last()
            && !mark.is_of(log, bytes)?
        {
            self.segments.pop();
        }
        Ok(())
    }

    fn open(&self, saved: &SavedSegment) -> Option<Segment> {
        let open = |info: &PartInfo| self.parts.open(info).map(Arc::new);
        let parts: Option<Vec<_>> = saved.parts.iter().map(open).collect();
        let mark = saved.mark.clone();
        let run = Arc::new(Run { parts: parts? });
        Some(Segment { mark, run })
    }

    /// Turns the changes in `state` since the last segment into a segment in memory. The state
    /// covers `log` up to `end`, and the lines in `early`.
    pub(crate) fn push(
        &mut self,
        log: &DurableLog,
        state: &mut State,
        end: u64,
        early: Vec<LinePlace>,
    ) -> Result<(), LedgerError> {
        let mark = Mark {
            end,
            edge: Mark::edge_of(log, end, &early)?,
            last: state.last().cloned(),
            early,
        };
        let run = Arc::new(Run::in_memory(state.take_changes()));
        self.segments.push(Segment { mark, run });
        state.set_runs(&self.runs());
        Ok(())
    }

    /// Saves `state`, which covers `log` up to `end`. This does nothing if another process is
    /// saving or has saved a checkpoint since we loaded ours, because ours would replace one that
    /// may be newer.
    ///
    /// # Errors
    /// Returns an error if a file can't be written.
    pub(crate) fn save(
        &mut self,
        log: &DurableLog,
        state: &mut State,
        end: u64,
    ) -> Result<(), LedgerError> {
        // After a failed read, the rows have gaps and must not be saved.
        if state.damage().is_some() {
            return Ok(());
        }
        // If the lock is taken, another process is already saving.
        let guard = Lock::acquire(&self.lock, &LockRequest::new(Duration::ZERO, "windlass"));
        let _guard = match guard {
            Ok(guard) => guard,
            Err(LockError::Timeout { .. }) => return Ok(()),
            Err(error) => {
                tracing::debug!(%error, "no checkpoint was saved");
                return Ok(());
            }
        };
        let known = read_file(&self.manifest, MAX_LOG_BYTES)?;
        if known.map(|bytes| Digest::of_bytes(&bytes)) != self.saved {
            self.is_outdated = true;
            return Ok(());
        }
        if end > self.end() || !self.early().is_empty() {
            self.push(log, state, end, Vec::new())?;
        }
        let saved = self.save_segments(log);
        state.set_runs(&self.runs());
        saved
    }

    // First write the rows, then the manifest that refers to them, and only then remove the files
    // that no manifest refers to anymore. If we're interrupted in between, the old manifest still
    // works.
    fn save_segments(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        self.thin()?;
        for at in 0..self.segments.len() {
            let run = Arc::clone(&self.segments[at].run);
            let parts: Result<Vec<_>, LedgerError> = run
                .parts
                .iter()
                .map(|part| self.parts.stored(part))
                .collect();
            self.segments[at].run = Arc::new(Run { parts: parts? });
        }
        // Merging reads the rows of existing parts. If any of them is damaged, the merged run has
        // gaps.
        if self.parts.damage().get().is_some() {
            return Ok(());
        }
        let segments = self.segments.iter().map(|segment| SavedSegment {
            mark: segment.mark.clone(),
            parts: segment
                .run
                .parts
                .iter()
                .map(|part| part.info.clone())
                .collect(),
        });
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            log: log.mark()?,
            segments: segments.collect(),
        };
        let manifest = manifest.to_bytes()?;
        write_atomic(&self.manifest, &manifest, Durability::Relaxed)?;
        self.saved = Some(Digest::of_bytes(&manifest));
        let parts = self.segments.iter().flat_map(|segment| &segment.run.parts);
        let known: Vec<&str> = parts.map(|part| part.info.name.as_str()).collect();
        self.parts.remove_others(&known)
    }

    /// Merges neighbouring segments until their positions are no closer together than [`RATIO`]
    /// demands.
    fn thin(&mut self) -> Result<(), LedgerError> {
        let mut thinned: Vec<Segment> = Vec::new();
        let mut at = 0;
        for end in self.kept_positions() {
            let group = &self.segments[at..=end];
            // Only the oldest run may drop the marks of removed rows. Anywhere else, an older run
            // may still have those rows.
            let mark = self.segments[end].mark.clone();
            let run = match group {
                [one] => Arc::clone(&one.run),
                _ => {
                    let runs: Vec<&Run> = group.iter().map(|segment| &*segment.run).collect();
                    let mut write = |built: Built| self.parts.write(&built.info, &built.bytes);
                    Arc::new(Run::build(merged(&runs, at == 0), &mut write)?)
                }
            };
            thinned.push(Segment { mark, run });
            at = end + 1;
        }
        self.segments = thinned;
        Ok(())
    }

    fn kept_positions(&self) -> Vec<usize> {
        let age = |position: u64| self.end() - position + self.interval;
        let (mut kept, mut next) = (Vec::new(), self.end());
        for (at, segment) in self.segments.iter().enumerate().rev() {
            let before = at.checked_sub(1).map_or(0, |at| self.segments[at].mark.end);
            let is_last = at + 1 == self.segments.len();
            if is_last || age(before) > RATIO * age(next) {
                kept.push(at);
                next = segment.mark.end;
            }
        }
        kept.reverse();
        kept
    }
}

fn hash(bytes: &[u8]) -> String {
    Digest::of_bytes(bytes).hex()
}

/// Returns a hash of the log bytes right before `end`. It identifies the log without a full read.
pub(crate) fn edge(log: &DurableLog, end: u64) -> Result<String, StoreError> {
    log.read(end.saturating_sub(EDGE), end)
        .map(|bytes| hash(&bytes))
}

/// Returns what [`edge`] would return at the end of `bytes`.
pub(crate) fn edge_in(bytes: &[u8]) -> String {
    let edge = usize::try_from(EDGE).unwrap_or(usize::MAX);
    hash(&bytes[bytes.len().saturating_sub(edge)..])
}
