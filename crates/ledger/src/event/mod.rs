//! One event: what is written as a line of the log, and how two of them are ordered.

mod molecule;
mod payload;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Stamp;

pub use molecule::*;
pub use payload::*;

/// An event as it is written.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Event {
    /// `evt-` and twelve letters and digits, drawn at random.
    #[schemars(regex(pattern = "^evt-."))]
    pub event_id: String,
    /// Which sort of event: `bead.created`.
    pub event_type: String,
    /// When it happened, by the clock of who wrote it.
    pub timestamp: Stamp,
    /// Who did it.
    pub actor: String,
    /// What related events have in common: a molecule, a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The event that brought it about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<String>,
    /// The moment by which it is ordered among all events, where that is not the `timestamp`: never before an event that
    /// its writer knew of, and no later than the clocks of all writers agree on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_time: Option<Stamp>,
    /// Its place among the events of the same moment, where it is not the first.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub seq: u32,
    /// What happened; its shape depends on the type.
    pub data: serde_json::Value,
}

/// An event as it stands in a line. Fields that are not known are passed over: the line keeps them.
#[derive(Debug, Clone, Deserialize)]
pub struct EventLine<'a> {
    /// See [`Event::event_id`].
    #[serde(borrow)]
    pub event_id: Cow<'a, str>,
    /// See [`Event::event_type`].
    #[serde(borrow)]
    pub event_type: Cow<'a, str>,
    /// See [`Event::timestamp`].
    pub timestamp: Stamp,
    /// See [`Event::actor`].
    #[serde(borrow)]
    pub actor: Cow<'a, str>,
    /// See [`Event::correlation_id`].
    #[serde(borrow, default)]
    pub correlation_id: Option<Cow<'a, str>>,
    /// See [`Event::caused_by`].
    #[serde(borrow, default)]
    pub caused_by: Option<Cow<'a, str>>,
    /// See [`Event::log_time`].
    #[serde(default)]
    pub log_time: Option<Stamp>,
    /// What the clock said where that is not the `timestamp`: older writers never stamped an event before the last.
    #[serde(default)]
    pub clock: Option<Stamp>,
    /// See [`Event::seq`].
    #[serde(default)]
    pub seq: u32,
    /// See [`Event::data`].
    #[serde(borrow)]
    pub data: &'a RawValue,
}

/// Where an event stands among all others, on every machine alike: by the log's time; by `seq` within a moment, so that what a
/// writer knew of comes first; then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderKey {
    /// In microseconds.
    at: i64,
    seq: u32,
    event_id: String,
}

impl OrderKey {
    /// The moment by which it is ordered.
    #[must_use]
    pub fn timestamp(&self) -> Stamp {
        Stamp::from_micros(self.at)
    }

    /// The moment and place of the next event after this one, when the log's time is `now`.
    #[must_use]
    pub fn next(last: Option<&Self>, now: Stamp) -> (Stamp, u32) {
        let now = now.to_millis();
        match last {
            Some(last) if last.timestamp() >= now => {
                let at = last.timestamp().up_to_millis();
                let seq = if at == last.timestamp() {
                    last.seq.saturating_add(1)
                } else {
                    0
                };
                (at, seq)
            }
            _ => (now, 0),
        }
    }
}

impl<'a> EventLine<'a> {
    /// Reads one line, without its terminator.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        // Editors put it at the beginning of a file, and merges anywhere.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        serde_json::from_slice(line)
    }

    /// Its place among all events.
    #[must_use]
    pub fn key(&self) -> OrderKey {
        OrderKey {
            at: self.log_time.unwrap_or(self.timestamp).micros(),
            seq: self.seq,
            event_id: self.event_id.clone().into_owned(),
        }
    }

    /// True if the clock of its writer was more than an hour ahead of the log's time.
    #[must_use]
    pub(crate) fn is_ahead(&self) -> bool {
        let order = self.log_time.unwrap_or(self.timestamp);
        self.timestamp > order && !crate::log_clock::is_near(self.timestamp, order)
    }

    /// What the clock of its writer said.
    #[must_use]
    pub fn clock(&self) -> Stamp {
        self.clock.unwrap_or(self.timestamp)
    }
}

/// What a line is that is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// What git writes where it could not merge.
    ConflictMarker,
    /// Something else.
    NoEvent,
    /// The beginning of an event: who wrote it was stopped before its end, so nobody was told that it happened.
    Torn,
}

/// What `line` is, which is no event; nothing for a blank line.
#[must_use]
pub fn oddity(line: &[u8]) -> Option<Oddity> {
    let markers: [&[u8]; 4] = [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"];
    if line.trim_ascii().is_empty() {
        None
    } else if markers.iter().any(|marker| line.starts_with(marker)) {
        Some(Oddity::ConflictMarker)
    } else if EventLine::parse(line).is_err_and(|why| why.is_eof()) {
        Some(Oddity::Torn)
    } else {
        Some(Oddity::NoEvent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_event_comes_after_the_last_whatever_the_clock_says() {
        let at = |text: &str| text.parse::<Stamp>().unwrap();
        let last = |text: &str, seq| OrderKey {
            at: at(text).micros(),
            seq,
            event_id: String::new(),
        };
        let now = at("2026-01-01T00:00:01.5004Z");
        let next = |last: Option<OrderKey>| {
            let (at, seq) = OrderKey::next(last.as_ref(), now);
            format!("{at} {seq}")
        };
        assert_eq!(next(None), "2026-01-01T00:00:01.500Z 0");
        assert_eq!(
            next(Some(last("2026-01-01T00:00:01Z", 7))),
            "2026-01-01T00:00:01.500Z 0"
        );
        assert_eq!(
            next(Some(last("2026-01-01T00:00:01.5Z", 7))),
            "2026-01-01T00:00:01.500Z 8"
        );
        assert_eq!(
            next(Some(last("2026-01-01T00:00:01.5001Z", 0))),
            "2026-01-01T00:00:01.501Z 0"
        );
        assert_eq!(
            next(Some(last("2030-01-01T00:00:00Z", 0))),
            "2030-01-01T00:00:00.000Z 1"
        );
    }
}
