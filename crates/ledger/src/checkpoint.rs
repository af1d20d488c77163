//! The state at a place in the log, so that a command need not read what comes before.
//!
//! A line of JSON says what it is and where each part lies; then come the parts. Beads, messages and molecules lie one after the
//! other, sorted by name, each as its line, with a short form beside it: what is not asked for is not parsed, and what
//! did not change is copied when the next checkpoint is written. It may be thrown away at any time.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_store::{Durability, DurableLog, FileMark, StoreError, read_file, write_atomic};

use crate::state::{Base, Seen, Small, State, Table};

const FORMAT: &str = "windlass-ledger-checkpoint";
/// Another number whenever the parts, or what follows from an event, change.
const VERSION: u32 = 4;
/// How many parts there are: what is small, which events were applied, and two for each table.
const PARTS: usize = 10;
/// How much of the log before the place is compared, in bytes.
const EDGE: u64 = 4096;

/// Where a state belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    /// The log.
    pub(crate) log: FileMark,
    /// How many bytes of it were applied.
    pub(crate) end: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    log: FileMark,
    end: u64,
    /// What the log has right before the place.
    edge: String,
    /// The length of each part.
    parts: [usize; PARTS],
    /// Over the parts that say where the others lie.
    check: String,
}

/// The state that is kept in the file `path`, if it belongs to `log` as that is now; with how much of it was applied.
pub(crate) fn load(path: &Path, log: &DurableLog, mark: &FileMark) -> Option<(State, u64)> {
    let bytes = read_file(path, u64::MAX).ok()??;
    let line_end = memchr::memchr(b'\n', &bytes)?;
    let header: Header = serde_json::from_slice(&bytes[..line_end]).ok()?;
    let fits = header.format == FORMAT
        && header.version == VERSION
        && header.log.is_same_file(mark)
        && header.end <= mark.bytes
        && header.edge == edge(log, header.end).ok()?;
    if !fits {
        return None;
    }
    let mut at = line_end + 1;
    let ranges = header.parts.map(|length| {
        let start = at;
        at = at.saturating_add(length);
        start..at
    });
    let is_whole = at == bytes.len() && !has_lost_blocks(&bytes);
    if !is_whole || header.check != check(ranges.each_ref().map(|range| &bytes[range.clone()])) {
        return None;
    }
    let state = state_of(&Arc::new(bytes), ranges)?;
    Some((state, header.end))
}

fn state_of(bytes: &Arc<Vec<u8>>, ranges: [Range<usize>; PARTS]) -> Option<State> {
    let [small, seen, a, b, c, d, e, f, g, h] = ranges;
    let small: Small = serde_json::from_slice(bytes.get(small)?).ok()?;
    let mut state = State::default();
    state.beads = Table::on(Base::of(bytes, a, b)?);
    state.messages = Table::on(Base::of(bytes, c, d)?);
    state.molecules = Table::on(Base::of(bytes, e, f)?);
    state.plans = Table::on(Base::of(bytes, g, h)?);
    state.small = small;
    state.seen = Seen::of(bytes, seen)?;
    Some(state)
}

/// Keeps `state`, which belongs to `at`, in the file `path`.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn save(path: &Path, log: &DurableLog, state: &State, at: At) -> Result<(), StoreError> {
    let small = serde_json::to_vec(&state.small).unwrap_or_default();
    let (bead_index, beads) = state.beads.write();
    let (message_index, messages) = state.messages.write();
    let (molecule_index, molecules) = state.molecules.write();
    let (plan_index, plans) = state.plans.write();
    let parts = [
        small,
        state.seen.write(),
        bead_index,
        beads,
        message_index,
        messages,
        molecule_index,
        molecules,
        plan_index,
        plans,
    ];
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        log: at.log,
        end: at.end,
        edge: edge(log, at.end)?,
        parts: parts.each_ref().map(Vec::len),
        check: check(parts.each_ref().map(Vec::as_slice)),
    };
    let mut line = serde_json::to_vec(&header).unwrap_or_default();
    line.push(b'\n');
    let mut file = line;
    for part in &parts {
        file.extend(part);
    }
    write_atomic(path, &file, Durability::Relaxed)
}

/// What a file system writes at once, in bytes.
const BLOCK: usize = 4096;

/// Whether a block of zeros is in `bytes`, as a power cut leaves where something was not written yet. Nothing of ours
/// has one. It is looked for instead of a hash over all, which would take as long as reading.
fn has_lost_blocks(bytes: &[u8]) -> bool {
    let mut blocks = bytes.chunks_exact(BLOCK);
    blocks.any(|block| block.iter().all(|byte| *byte == 0))
}

/// Over what every command relies on; rows are looked at one by one.
fn check([small, seen, a, _, b, _, c, _, d, _]: [&[u8]; PARTS]) -> String {
    hash(&[small, seen, a, b, c, d].concat())
}

fn hash(bytes: &[u8]) -> String {
    Digest::of_bytes(bytes).hex()
}

/// What tells whether the log before `end` is still the same, without reading all of it.
pub(crate) fn edge(log: &DurableLog, end: u64) -> Result<String, StoreError> {
    log.read(end.saturating_sub(EDGE), end)
        .map(|bytes| hash(&bytes))
}
