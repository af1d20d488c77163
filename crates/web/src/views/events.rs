use serde::Serialize;
use serde_json::Value;
use windlass::Error;
use windlass::ledger::event::EventLine;
use windlass::ledger::{EventFilter, FoundEvent, Stamp};

use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Events {
    events: Vec<EventRow>,
    pages: Pages,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct EventRow {
    event_id: String,
    #[serde(rename = "type")]
    event_type: String,
    timestamp: Stamp,
    actor: String,
    pub(crate) data: Value,
    /// Reason why the event has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<String>,
}

impl EventRow {
    fn of(event: &FoundEvent) -> Option<Self> {
        let line = EventLine::parse(event.line.as_bytes());
        let line = line.inspect_err(|error| tracing::debug!(%error, "an event cannot be shown"));
        let line = line.ok()?;
        Some(Self {
            event_id: line.event_id.into_owned(),
            event_type: line.event_type.into_owned(),
            timestamp: line.timestamp,
            actor: line.actor.into_owned(),
            data: without_tokens(serde_json::from_str(line.data.get()).unwrap_or_default()),
            rejected: event.rejected.clone(),
        })
    }

    /// Makes rows for `events` in log order. Unparsable events are left out.
    pub(crate) fn newest_first(events: &[FoundEvent]) -> Vec<Self> {
        events.iter().rev().filter_map(Self::of).collect()
    }
}

/// Removes claim tokens, because a token proves a claim and must only be known to its holder.
fn without_tokens(mut data: Value) -> Value {
    if let Some(fields) = data.as_object_mut() {
        fields.remove("token");
    }
    data
}

impl View for Events {
    const TEMPLATE: &'static str = "events.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["actor", "page", "type"];

    fn title(&self) -> String {
        "Events".to_owned()
    }
}

pub(crate) fn events(visit: &Visit<'_>) -> Result<Events, Error> {
    visit.read_ledger(|session| {
        let text = |name: &str| visit.query.get(name).map(str::to_owned);
        let filter = EventFilter {
            event_type: text("type"),
            actor: text("actor"),
            // One more than shown, to detect a next page. The total is only a lower bound then.
            limit: Some(visit.query.skip() + ROWS + 1),
            ..EventFilter::default()
        };
        let found = session.events().find(&filter)?;
        let total = found.len();
        let mut found: Vec<FoundEvent> = found.into_iter().rev().collect();
        found = visit.query.rows(found);
        Ok(Events {
            pages: visit.query.pages(total),
            events: found.iter().filter_map(EventRow::of).collect(),
            event_type: filter.event_type,
            actor: filter.actor,
        })
    })
}
