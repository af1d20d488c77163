//! Events that are asked for.

use serde::Serialize;

use windlass_store::DurableLog;

use crate::event::{EventLine, OrderKey};
use crate::state::LinePlace;
use crate::{Journal, LedgerError, Stamp, fold};

/// How much of the log is read at once, in bytes: what the processor has at hand when it is looked through.
const PIECE: u64 = 256 << 10;

/// Which events are asked for.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// The event of this id.
    pub id: Option<String>,
    /// Of this type; `bead.*` for all that begin so.
    pub event_type: Option<String>,
    /// Of this actor; `gastown/*` for all that begin so.
    pub actor: Option<String>,
    /// Not before.
    pub since: Option<Stamp>,
    /// Not after.
    pub until: Option<Stamp>,
    /// Related by this.
    pub correlation_id: Option<String>,
    /// About this bead, message, agent or molecule: its id stands in their data.
    pub about: Option<String>,
    /// Only those that were not allowed where they stand.
    pub rejected: bool,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// An event that was found.
#[derive(Debug, Clone, Serialize)]
pub struct FoundEvent {
    /// Where it lies.
    #[serde(skip)]
    pub place: LinePlace,
    /// Its line.
    #[serde(skip)]
    pub line: String,
    /// Its place among all events.
    #[serde(skip)]
    key: OrderKey,
    /// Why it does not count, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

impl EventFilter {
    /// What stands in the line of every event that it takes, however that was written as JSON.
    fn needle(&self) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let asked = [
            &self.id,
            &self.about,
            &self.correlation_id,
            &self.actor,
            &self.event_type,
        ];
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

/// The lines of `bytes`, which begin at `start` in the log; of those only the ones that `needle` stands in, which are
/// found without looking at the others one by one.
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

/// Whether `id` is one of the values at the top of an event's data.
fn mentions(data: &str, id: &str) -> bool {
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
    /// The events of `journal` that it asks for, in their order.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn find_in(&self, journal: &Journal) -> Result<Vec<FoundEvent>, LedgerError> {
        let rejected = journal.state().rejected();
        let reason = |id: &str| {
            let found = rejected.iter().find(|rejected| rejected.event_id == id);
            found.map(|found| found.reason.clone())
        };
        let mut found: Vec<FoundEvent> = Vec::new();
        let limit = self.limit.unwrap_or(usize::MAX);
        // Lines stand in the order of their events as long as nothing was merged.
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
        found.extend(take(journal.copies().beside(), journal.applied().end()));
        let (mut end, mut bytes) = (journal.applied().end(), Vec::new());
        while let Some(log) = journal.log().filter(|_| end > 0) {
            let piece = piece_before(log, end, &mut bytes)?;
            let start = end - piece.len() as u64;
            let mut here = take(piece, start);
            here.append(&mut found);
            found = here;
            end = start;
            // Lines in their order need not be looked at any further back.
            if is_sorted && found.len() >= limit {
                break;
            }
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        found.dedup_by(|a, b| a.key == b.key);
        let surplus = found.len().saturating_sub(limit);
        found.drain(..surplus);
        Ok(found)
    }
}

/// Whole lines of `log` before `end`, which are read into `bytes`.
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
        // From the first line that begins here.
        if let Some(at) = memchr::memchr(b'\n', bytes).filter(|at| at + 1 < bytes.len()) {
            return Ok(&bytes[at + 1..]);
        }
        size *= 2;
    }
}
