//! The feed is a copy of recent log lines, made for `tail -f`.
//!
//! It only ever grows. Its last line tells us which event comes next, so there's no other state to
//! store. If a crash occurs after the log was written and before the feed was, the next append
//! fills the gap.

use windlass_store::{Disk, DurableLog, LogWriter, RootedPath};

use crate::{LedgerError, Places, fold};

/// Maximum number of events to start a new feed with, or to add after a gap.
const MAX_BACKLOG: usize = 500;
/// Distances from the end of the log to search for the feed's last event, in bytes. We try the
/// short distance first, which is usually enough.
const SEARCH_BYTES: [u64; 3] = [4 << 10, 64 << 10, 1 << 20];

fn path(places: &Places) -> RootedPath {
    places.beads().join("feed.jsonl")
}

/// Appends the events of `log` missing from the feed. The caller must hold the log's writer lock.
///
/// # Errors
/// Returns an error if a file can't be read or written.
pub(crate) fn append(
    places: &Places,
    log: &DurableLog,
    _guard: &LogWriter<'_>,
) -> Result<(), LedgerError> {
    let feed = DurableLog::open(&path(places), &places.home().join("feed"))?;
    let lines = lacking(log, last_line(&feed)?.as_deref())?;
    if !lines.is_empty() {
        let _ = feed.append_alone(&lines)?;
    }
    Ok(())
}

/// Removes the feed. The next feed starts with the newest events.
///
/// # Errors
/// Returns an error if the file can't be removed.
pub(crate) fn remove(places: &Places) -> Result<(), LedgerError> {
    Ok(Disk::default().remove(&path(places))?)
}

/// Returns the events in `log` after `last`. If `last` isn't found near the end, returns the newest
/// events.
fn lacking(log: &DurableLog, last: Option<&[u8]>) -> Result<Vec<u8>, LedgerError> {
    let end = log.bytes()?;
    let mut bytes = Vec::new();
    for reach in SEARCH_BYTES {
        let start = end.saturating_sub(reach);
        bytes = log.read(start, end)?;
        let at =
            last.and_then(|last| memchr::memmem::rfind(&bytes, last).map(|at| at + last.len()));
        if let Some(at) = at {
            return Ok(events(&bytes[at..], usize::MAX));
        }
        if start > 0 {
            // The piece may begin in the middle of a line, so drop everything up to the first line
            // break.
            let whole = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1);
            bytes.drain(..whole);
        }
    }
    Ok(events(&bytes, MAX_BACKLOG))
}

/// Returns the feed's last complete line, or `None` if there is none or it's too long.
fn last_line(feed: &DurableLog) -> Result<Option<Vec<u8>>, LedgerError> {
    let end = feed.bytes()?;
    for reach in SEARCH_BYTES {
        let start = end.saturating_sub(reach);
        let bytes = feed.whole_lines(start)?;
        let Some(line) = bytes.strip_suffix(b"\n") else {
            continue;
        };
        match memchr::memrchr(b'\n', line) {
            Some(at) => return Ok(Some(line[at + 1..].to_vec())),
            None if start == 0 => return Ok(Some(line.to_vec())),
            None => {}
        }
    }
    Ok(None)
}

/// Returns the last events in `bytes`, at most `limit`. Each ends with a line terminator.
fn events(bytes: &[u8], limit: usize) -> Vec<u8> {
    let lines = fold::lines(bytes, 0).map(|(_, line)| line.trim_ascii_end());
    let lines: Vec<&[u8]> = lines
        .filter(|line| fold::event_of(line).is_some())
        .collect();
    let newest = &lines[lines.len().saturating_sub(limit)..];
    newest
        .iter()
        .flat_map(|line| line.iter().chain(b"\n"))
        .copied()
        .collect()
}
