//! The form of events as log lines, and their order.
//!
//! Logs are merged by git and copied between machines, so the lines can end up in any order. We
//! therefore never rely on it: [`OrderKey`] gives events an order of their own that all machines
//! agree on.

mod molecule;
mod payload;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Stamp;

pub use molecule::*;
pub use payload::*;

/// An event in its written form.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Event {
    /// Id: `evt-` and twelve random letters and digits.
    #[schemars(regex(pattern = "^evt-."))]
    pub event_id: String,
    /// Type of event, such as `bead.created`.
    pub event_type: String,
    /// Time of the event by its writer's clock.
    pub timestamp: Stamp,
    /// The actor that caused the event.
    pub actor: String,
    /// Id shared by related events, such as those of a molecule or conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Id of the event that led to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<String>,
    /// Time by which the event is ordered, if it isn't the `timestamp`. It's not before any event
    /// known to the writer, and not later than the clocks of all writers agree on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_time: Option<Stamp>,
    /// Position among the events of the same moment, from 0.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub seq: u32,
    /// Payload, shaped according to the type.
    pub data: serde_json::Value,
}

/// An event parsed from a line.
///
/// Fields that we don't know are ignored. They aren't lost, since the log itself keeps the line.
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
    /// Reading of the writer's clock, if it isn't the `timestamp`. Only older versions wrote this
    /// field, since they moved an event's `timestamp` up to that of the last event instead of using
    /// `log_time`.
    #[serde(default)]
    pub clock: Option<Stamp>,
    /// See [`Event::seq`].
    #[serde(default)]
    pub seq: u32,
    /// See [`Event::data`].
    #[serde(borrow)]
    pub data: &'a RawValue,
}

/// An event's position in the order that all machines agree on.
///
/// Events are ordered by the log's time, then by `seq`, and finally by id. The id only matters
/// between writers that didn't know of each other's events: a writer chooses `seq` such that its
/// event comes after all those it has seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderKey {
    at: i64,
    seq: u32,
    event_id: String,
}

impl OrderKey {
    /// The time that orders the event, which isn't always the one on its writer's clock.
    #[must_use]
    pub fn timestamp(&self) -> Stamp {
        Stamp::from_micros(self.at)
    }

    /// Picks the time and `seq` for an event after `last` if the log's time is `now`.
    #[must_use]
    pub fn next(last: Option<&Self>, now: Stamp) -> (Stamp, u32) {
        let now = now.to_millis();
        match last {
            // The last event is from this millisecond, or even later. Use its time again and count
            // up. If that time has microseconds, round it up, so that the new one still comes after
            // it.
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
    /// Parses one line, without its terminator.
    ///
    /// # Errors
    /// Returns an error if the line isn't an event in JSON.
    pub fn parse(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        // Editors put a byte order mark at the start of a file, and a merge can move it to any
        // line.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        serde_json::from_slice(line)
    }

    /// The event's position in the order of all events. [`Self::is_after`] compares without
    /// building one.
    #[must_use]
    pub fn key(&self) -> OrderKey {
        OrderKey {
            at: self.log_time.unwrap_or(self.timestamp).micros(),
            seq: self.seq,
            event_id: self.event_id.clone().into_owned(),
        }
    }

    /// Compares [`Self::key`] to `key`. Folding calls this for each event, so we avoid an
    /// allocation.
    #[must_use]
    pub fn is_after(&self, key: &OrderKey) -> bool {
        let at = self.log_time.unwrap_or(self.timestamp).micros();
        (at, self.seq, &*self.event_id) > (key.at, key.seq, &key.event_id)
    }

    /// True if the writer's clock was more than an hour ahead of the log's time.
    #[must_use]
    pub(crate) fn is_ahead(&self) -> bool {
        let order = self.log_time.unwrap_or(self.timestamp);
        self.timestamp > order && !crate::log_clock::is_near(self.timestamp, order)
    }

    /// The writer's clock reading, wherever its version put it.
    #[must_use]
    pub fn clock(&self) -> Stamp {
        self.clock.unwrap_or(self.timestamp)
    }
}

/// Kinds of lines that aren't events. We skip such lines and report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// A conflict marker written by git.
    ConflictMarker,
    /// Anything else, e.g. a line that isn't JSON.
    NoEvent,
    /// An incomplete event. Its writer was stopped in the middle of the line, so it never
    /// acknowledged the event.
    Torn,
}

/// Classifies a line that isn't an event, or returns `None` if it's blank.
#[must_use]
pub fn oddity(line: &[u8]) -> Option<Oddity> {
    let markers: [&[u8]; 4] = [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"];
    if line.trim_ascii().is_empty() {
        None
    } else if markers.iter().any(|marker| line.starts_with(marker)) {
        Some(Oddity::ConflictMarker)
    // The JSON ends too early, so the writer was probably stopped in the middle.
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
    fn next_key_follows_last_event() {
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
        // A time far in the future doesn't stop us: the next event just gets the next number.
        assert_eq!(
            next(Some(last("2030-01-01T00:00:00Z", 0))),
            "2030-01-01T00:00:00.000Z 1"
        );
    }
}
