//! Checkpoints: the state at a position in the log. With a checkpoint, a command need not read the lines before that
//! position.
//! A JSON header line states the format and the length of each part. The front parts hold what every command needs: the
//! small part of the state, and an index and short forms (the fields used most) for each table. The back parts are read
//! on demand: the ids of applied events and the full line of each record. The next checkpoint copies unchanged records.
//! A checkpoint may be deleted at any time.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_store::{
    Disk, Durability, DurableLog, FileMark, RangedFile, RootedPath, StoreError, write_atomic,
};

use crate::state::{Base, Part, Seen, Small, Source, State, Table};
use crate::{LedgerError, Places};

const FORMAT: &str = "windlass-ledger-checkpoint";
/// Format version. It must change whenever the parts or the effects of an event change, or old checkpoints would be
/// misread.
const VERSION: u32 = 10;
const TABLES: usize = 4;
/// Number of front parts: the small state, plus an index and short forms for each table.
const FRONT_PARTS: usize = 1 + 2 * TABLES;
/// Number of back parts: the ids of applied events, plus the lines of each table.
const BACK_PARTS: usize = 1 + TABLES;
/// Number of bytes before the covered position that are hashed to recognise the log.
pub(crate) const EDGE: u64 = 4096;
/// Maximum length of the header line, in bytes.
const MAX_HEADER: u64 = 4096;

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    log: FileMark,
    end: u64,
    /// Hash of the log bytes right before the covered position.
    edge: String,
    /// Length of each front part.
    front: [usize; FRONT_PARTS],
    /// Length of each back part.
    back: [usize; BACK_PARTS],
    /// Hash of all front parts.
    check: String,
    /// Hash of the back part with the ids of applied events.
    seen: String,
}

/// Number of newly applied bytes after which a checkpoint is due.
const SAVE_INTERVAL: u64 = 192 << 10;

/// File that holds a saved state.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: RootedPath,
    /// Position in the log that the saved checkpoint covers.
    saved_end: u64,
}

impl Checkpoint {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            path: places.home().join("checkpoint"),
            saved_end: 0,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.path.path()
    }

    /// Forgets the saved checkpoint, so that the next one is due earlier.
    pub(crate) fn forget(&mut self) {
        self.saved_end = 0;
    }

    pub(crate) fn remove(&self) -> Result<(), LedgerError> {
        Ok(Disk::default().remove(&self.path)?)
    }

    pub(crate) fn is_due(&self, end: u64) -> bool {
        end - self.saved_end >= SAVE_INTERVAL
    }

    /// Loads the saved state and its log position. Returns `None` if the checkpoint does not match the current contents
    /// of `log`.
    pub(crate) fn load(&mut self, log: &DurableLog) -> Result<Option<(State, u64)>, LedgerError> {
        let found = load_from(&self.path, log, &log.mark()?);
        self.saved_end = found.as_ref().map_or(0, |(_, end)| *end);
        Ok(found)
    }

    /// Saves `state`, which covers `log` up to `end`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn save(
        &mut self,
        log: &DurableLog,
        state: &State,
        end: u64,
    ) -> Result<(), LedgerError> {
        let small = serde_json::to_vec(&state.small).unwrap_or_default();
        let beads = state.beads.write();
        let messages = state.messages.write();
        let molecules = state.molecules.write();
        let plans = state.plans.write();
        let mut front = vec![small];
        let mut back = vec![state.seen.write()];
        for table in [beads, messages, molecules, plans] {
            front.extend([table.index, table.heads]);
            back.push(table.lines);
        }
        let seen = hash(&back[0]);
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            log: log.mark()?,
            end,
            edge: edge(log, end)?,
            front: std::array::from_fn(|part| front[part].len()),
            back: std::array::from_fn(|part| back[part].len()),
            check: hash(&front.concat()),
            seen,
        };
        // After a failed read, the parts have gaps, so this checkpoint must not be saved.
        if state.damage().is_some() {
            return Ok(());
        }
        let mut file = serde_json::to_vec(&header).unwrap_or_default();
        file.push(b'\n');
        for part in front.iter().chain(&back) {
            file.extend(part);
        }
        write_atomic(&self.path, &file, Durability::Relaxed)?;
        self.saved_end = end;
        Ok(())
    }
}

fn load_from(place: &RootedPath, log: &DurableLog, mark: &FileMark) -> Option<(State, u64)> {
    let file = RangedFile::open(place).ok()??;
    let first = file.read(0..file.bytes().min(MAX_HEADER)).ok()?;
    let line_end = memchr::memchr(b'\n', &first)?;
    let header: Header = serde_json::from_slice(&first[..line_end]).ok()?;
    let fits = header.format == FORMAT
        && header.version == VERSION
        && header.log.is_same_file(mark)
        && header.end <= mark.bytes
        && header.edge == edge(log, header.end).ok()?;
    if !fits {
        return None;
    }
    let start = line_end as u64 + 1;
    let front_end = start.checked_add(total(&header.front)?)?;
    if front_end.checked_add(total(&header.back)?)? != file.bytes() {
        return None;
    }
    let front = file.read(start..front_end).ok()?;
    if header.check != hash(&front) {
        return None;
    }
    let source = Arc::new(Source::new(file));
    let state = state_of(&header, &Arc::new(front), source, front_end)?;
    Some((state, header.end))
}

fn total(lengths: &[usize]) -> Option<u64> {
    let mut lengths = lengths.iter();
    lengths.try_fold(0, |total: u64, length| total.checked_add(*length as u64))
}

fn state_of(
    header: &Header,
    front: &Arc<Vec<u8>>,
    source: Arc<Source>,
    front_end: u64,
) -> Option<State> {
    let [small, front_tables @ ..] = ranges(header.front, 0);
    let [seen, line_parts @ ..] = ranges(header.back, front_end);
    let place = |range: &Range<u64>| {
        let start = usize::try_from(range.start).ok()?;
        Some(start..usize::try_from(range.end).ok()?)
    };
    let mut tables = front_tables
        .chunks_exact(2)
        .zip(line_parts)
        .map(|(two, lines)| {
            let lines = Part::of(&source, lines, None);
            Base::of(front, place(&two[0])?, place(&two[1])?, lines)
        });
    let mut next = || tables.next().flatten();
    let mut state = State::default();
    state.beads = Table::on(next()?);
    state.messages = Table::on(next()?);
    state.molecules = Table::on(next()?);
    state.plans = Table::on(next()?);
    state.small = serde_json::from_slice::<Small>(front.get(place(&small)?)?).ok()?;
    state.seen = Seen::of(Part::of(&source, seen, Some(header.seen.clone())))?;
    state.source = Some(source);
    Some(state)
}

/// Converts the lengths of consecutive parts to ranges. The first part begins at `start`.
fn ranges<const N: usize>(lengths: [usize; N], start: u64) -> [Range<u64>; N] {
    let mut at = start;
    lengths.map(|length| {
        let start = at;
        at += length as u64;
        start..at
    })
}

fn hash(bytes: &[u8]) -> String {
    Digest::of_bytes(bytes).hex()
}

/// Returns a hash of the log bytes right before `end`. It identifies the log without a full read.
pub(crate) fn edge(log: &DurableLog, end: u64) -> Result<String, StoreError> {
    log.read(end.saturating_sub(EDGE), end)
        .map(|bytes| hash(&bytes))
}

/// Returns the hash that [`edge`] would return at the end of `bytes`.
pub(crate) fn edge_in(bytes: &[u8]) -> String {
    let edge = usize::try_from(EDGE).unwrap_or(usize::MAX);
    hash(&bytes[bytes.len().saturating_sub(edge)..])
}
