//! Searches the log for events.
//!
//! Users mostly want the newest events, so we read the log backwards in pieces and stop once we
//! have enough. A substring search dismisses most lines before we parse anything.

use serde::Serialize;

use windlass_store::DurableLog;

use crate::event::{EventLine, OrderKey};
use crate::state::LinePlace;
use crate::{Journal, LedgerError, Stamp, fold};

/// Number of log bytes to read at once. We search a piece several times, so it has to fit into the
/// processor's cache.
const PIECE: u64 = 256 << 10;

/// Criteria for selecting events. An event has to meet all that are set, so the default selects
/// every event.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Selects the event with this id.
    pub id: Option<String>,
    /// Event type. A trailing `*` matches any suffix, e.g. `bead.*`.
    pub event_type: Option<String>,
    /// The actor's name. A trailing `*` matches any suffix, e.g. `gastown/*`.
    pub actor: Option<String>,
    /// Earliest timestamp, inclusive.
    pub since: Option<Stamp>,
    /// Latest timestamp, inclusive.
    pub until: Option<Stamp>,
    /// Selects the events that belong together, e.g. all of a molecule.
    pub correlation_id: Option<String>,
    /// Selects events that have this id among the top-level values of their data. It may be the id
    /// of a bead, message, agent or molecule.
    pub about: Option<String>,
    /// If true, selects only events that were rejected.
    pub rejected: bool,
    /// Maximum number of events to return. If more match, we return the newest.
    pub limit: Option<usize>,
}

/// An event that matches the filter.
#[derive(Debug, Clone, Serialize)]
pub struct FoundEvent {
    /// Byte range of the event's line in the log.
    #[serde(skip)]
    pub place: LinePlace,
    /// The line as it's in the log, including fields we don't know.
    #[serde(skip)]
    pub line: String,
    #[serde(skip)]
    key: OrderKey,
    /// Reason why the event was rejected, or `None` if it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

impl EventFilter {
    /// Returns a string that the line of every matching event must contain, so that we need not
    /// parse the others. We only use letters and characters that look the same in JSON, however the
    /// writer escapes the rest.
    fn needle(&self) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let asked = [
            &self.id,
            &self.about,
            &self.correlation_id,
            &self.actor,
            &self.event_type,
        ];
        // Any criterion that's set would do. They're ordered such that the rarest comes first, and
        // we use the longest part of that one.
        let parts = asked.into_iter().flatten().map(|asked| {
            let parts = asked.split(|c: char| !is_plain(c));
            parts.max_by_key(|part| part.len()).unwrap_or_default()
        });
        let mut parts = parts.filter(|part| !part.is_empty());
        parts.next().map(str::to_owned)
    }

    fn takes(&self, event: &EventLine<'_>) -> bool {
        let is_like = |wanted: &Option<String>, found: &str| {
            wanted
                .as_deref()
                .is_none_or(|wanted| match wanted.strip_suffix('*') {
                    Some(start) => found.starts_with(start),
                    None => found == wanted,
                })
        };
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == found
        };
        is(&self.id, Some(&event.event_id))
            && is_like(&self.event_type, &event.event_type)
            && is_like(&self.actor, &event.actor)
            && self.since.is_none_or(|since| event.timestamp >= since)
            && self.until.is_none_or(|until| event.timestamp <= until)
            && is(&self.correlation_id, event.correlation_id.as_deref())
            && self
                .about
                .as_deref()
                .is_none_or(|about| mentions(event.data.get(), about))
    }
}

/// Splits `bytes`, which begins at `start` in the log, into lines. If there's a `needle`, we search
/// for that instead, and never even look for the ends of the lines without it.
fn candidates<'a>(
    bytes: &'a [u8],
    start: u64,
    needle: Option<&'a str>,
) -> Box<dyn Iterator<Item = (LinePlace, &'a [u8])> + 'a> {
    let Some(needle) = needle else {
        return Box::new(fold::lines(bytes, start));
    };
    let finder = memchr::memmem::Finder::new(needle);
    let mut from = 0;
    Box::new(std::iter::from_fn(move || {
        let found = from + finder.find(bytes.get(from..)?)?;
        let begin = memchr::memrchr(b'\n', &bytes[..found]).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |at| found + at);
        from = end + 1;
        let place = LinePlace {
            start: start + begin as u64,
            bytes: u32::try_from(end - begin).unwrap_or(u32::MAX),
        };
        Some((place, &bytes[begin..end]))
    }))
}

/// True if `id` is one of the top-level values of an event's data.
fn mentions(data: &str, id: &str) -> bool {
    // Parsing is slow, so rule out most events by a search.
    if !data.contains(id) {
        return false;
    }
    let data: serde_json::Value = serde_json::from_str(data).unwrap_or_default();
    let mut values = data
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::values);
    values.any(|value| value.as_str() == Some(id))
}

impl EventFilter {
    pub(crate) fn find_in(&self, journal: &Journal) -> Result<Vec<FoundEvent>, LedgerError> {
        let rejected = journal.state().rejected();
        let reason = |id: &str| {
            let found = rejected.iter().find(|rejected| rejected.event_id == id);
            found.map(|found| found.reason.clone())
        };
        let mut found: Vec<FoundEvent> = Vec::new();
        let limit = self.limit.unwrap_or(usize::MAX);
        // Unless logs were merged, the lines are in event order, so we can stop early.
        let is_sorted = !journal.state().small.merged;
        let needle = self.needle();
        let take = |piece: &[u8], start: u64| {
            let mut here = Vec::new();
            for (place, line) in candidates(piece, start, needle.as_deref()) {
                let Some(event) = fold::event_of(line).filter(|event| self.takes(event)) else {
                    continue;
                };
                let rejected = reason(&event.event_id);
                if self.rejected && rejected.is_none() {
                    continue;
                }
                here.push(FoundEvent {
                    place,
                    line: String::from_utf8_lossy(line.trim_ascii_end()).into_owned(),
                    key: event.key(),
                    rejected,
                });
            }
            here
        };
        // Events that only copies have aren't in the log yet. Search them as if they were at its
        // end.
        found.extend(take(journal.copies().beside(), journal.applied().end()));
        let (mut end, mut bytes) = (journal.applied().end(), Vec::new());
        while let Some(log) = journal.log().filter(|_| end > 0) {
            let piece = piece_before(log, end, &mut bytes)?;
            let start = end - piece.len() as u64;
            let mut here = take(piece, start);
            here.append(&mut found);
            found = here;
            end = start;
            // The log is sorted, so everything further back is older than what we already have.
            if is_sorted && found.len() >= limit {
                break;
            }
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        // A merged log may have the same event twice.
        found.dedup_by(|a, b| a.key == b.key);
        let surplus = found.len().saturating_sub(limit);
        found.drain(..surplus);
        Ok(found)
    }
}

/// Fills `bytes` with whole lines of `log` that end at `end`. They're [`PIECE`] bytes at most
/// unless a single line is longer.
fn piece_before<'a>(
    log: &DurableLog,
    end: u64,
    bytes: &'a mut Vec<u8>,
) -> Result<&'a [u8], LedgerError> {
    let mut size = PIECE;
    loop {
        let start = end.saturating_sub(size);
        log.read_into(start, end, bytes)?;
        if start == 0 {
            return Ok(bytes);
        }
        // The piece may begin in the middle of a line. Skip it, since the next piece ends with it.
        if let Some(at) = memchr::memchr(b'\n', bytes).filter(|at| at + 1 < bytes.len()) {
            return Ok(&bytes[at + 1..]);
        }
        size *= 2;
    }
}
