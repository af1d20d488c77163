//! The feed, a copy of recent log lines for `tail -f`.
//!
//! Unlike the log, which may be in git's common folder, the feed is always in `.beads`. It only
//! ever grows, and its last line tells us which event comes next, so we do not store any other
//! state. If we crash after writing the log but before writing the feed, the next append fills the
//! gap.

use windlass_store::{DurableLog, LogWriter, RootedPath, remove_file};

use crate::{LedgerError, Places, fold};

/// Number of events to start a new feed with. If we have lost track of the feed, we add no more
/// than this either.
const MAX_BACKLOG: usize = 500;
/// Distances from the end of the log within which we look for the feed's last event, in bytes.
/// Usually there are only a few new events, so the shortest is enough.
const SEARCH_BYTES: [u64; 3] = [4 << 10, 64 << 10, 1 << 20];

fn path(places: &Places) -> RootedPath {
    places.beads().join("feed.jsonl")
}

/// Appends the events that the feed lacks. `_guard` shows that the caller holds the log's writer
/// lock.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
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

/// Removes the feed. The next append starts a new one with the newest events.
pub(crate) fn remove(places: &Places) -> Result<(), LedgerError> {
    Ok(remove_file(&path(places))?)
}

/// Collects the events in `log` after `last`. If `last` is not near the end of the log, we give up
/// and return the newest events, in which case the feed lacks some in between.
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
            // We may have begun in the middle of a line, so skip to the first line break.
            let whole = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1);
            bytes.drain(..whole);
        }
    }
    Ok(events(&bytes, MAX_BACKLOG))
}

/// The feed's last complete line, or `None` if there is none or it is too long for
/// [`SEARCH_BYTES`].
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
