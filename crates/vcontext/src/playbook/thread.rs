//! Events as threads: all events of an entry, each with the one before it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use windlass_tron::Value;

use crate::Operation;

/// The field of an event's `metadata` that names the heads it ends. The specification has one `prevEventId` and no word
/// for this; readers that do not know it see two heads, of which the later one, this event, counts.
pub(crate) const RESOLVES: &str = "resolvesEventIds";

/// An event, as far as threads are concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'v> {
    /// Where it stands in the log.
    pub(crate) at: usize,
    pub(crate) value: &'v Value<'static>,
    pub(crate) id: &'v str,
    pub(crate) target: &'v str,
    pub(crate) operation: Option<Operation>,
    pub(crate) prev: Option<&'v str>,
    pub(crate) created_at: &'v str,
    pub(crate) moment: Option<Timestamp>,
}

impl<'v> Event<'v> {
    /// An event that has at least its own name and that of its entry.
    pub(crate) fn of(at: usize, value: &'v Value<'static>) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let created_at = text("createdAt").unwrap_or_default();
        Some(Self {
            at,
            value,
            id: text("eventId")?,
            target: text("targetId")?,
            operation: text("operation").and_then(Operation::from_word),
            prev: text("prevEventId"),
            created_at,
            moment: crate::time::moment(created_at),
        })
    }

    /// What decides which of two events is the later one, wherever they stand.
    pub(crate) fn rank(&self) -> (Option<Timestamp>, &'v str) {
        (self.moment, self.id)
    }

    /// The heads that it ends: events of the same entry that were made side by side, and that it answers as well as the
    /// one it follows.
    pub(crate) fn resolved(&self) -> impl Iterator<Item = &'v str> {
        let named = self
            .value
            .get("metadata")
            .and_then(|metadata| metadata.get(RESOLVES)?.as_array());
        let named = named.map_or(&[][..], |named| &named[..]);
        let own = self.id;
        named
            .iter()
            .filter_map(Value::as_str)
            .filter(move |id| *id != own)
    }

    /// Whether it begins its entry.
    pub(crate) fn begins(&self) -> bool {
        matches!(self.operation, Some(Operation::Initial | Operation::Append))
    }
}

/// The events of a log by their names, and by their entries.
#[derive(Debug, Default)]
pub(crate) struct Threads<'v> {
    /// The events that count, each name once.
    pub(crate) events: BTreeMap<&'v str, Event<'v>>,
    /// Of each entry the names of its events.
    pub(crate) targets: BTreeMap<&'v str, BTreeSet<&'v str>>,
}

impl<'v> Threads<'v> {
    /// Those of `items`. Of two events of one name the one whose text comes first counts, so that the order in which they
    /// were delivered decides nothing.
    pub(crate) fn of(items: &'v [Value<'static>]) -> Self {
        let mut threads = Self::default();
        for (at, value) in items.iter().enumerate() {
            let Some(event) = Event::of(at, value) else {
                continue;
            };
            let first = threads.events.entry(event.id).or_insert(event);
            if first.at != at && value != first.value && value.to_string() < first.value.to_string()
            {
                *first = event;
            }
        }
        for event in threads.events.values() {
            let thread = threads.targets.entry(event.target).or_default();
            thread.insert(event.id);
        }
        threads
    }

    /// The events of an entry.
    pub(crate) fn thread(&self, target: &str) -> Vec<Event<'v>> {
        let ids = self.targets.get(target).into_iter().flatten();
        ids.filter_map(|id| self.events.get(id).copied()).collect()
    }

    /// The event before `event`, if it is one of the same entry.
    pub(crate) fn before(&self, event: &Event<'v>) -> Option<Event<'v>> {
        let prev = self.events.get(event.prev?)?;
        (prev.target == event.target && prev.id != event.id).then_some(*prev)
    }

    /// The events of an entry that no other follows or ends, the latest last. In a circle each follows another: then it
    /// is the latest of all.
    pub(crate) fn heads(&self, target: &str) -> Vec<Event<'v>> {
        let thread = self.thread(target);
        let mut followed = BTreeSet::new();
        for event in &thread {
            followed.extend(self.before(event).map(|before| before.id));
            followed.extend(event.resolved());
        }
        let mut heads: Vec<Event<'v>> = thread
            .iter()
            .filter(|event| !followed.contains(event.id))
            .copied()
            .collect();
        if heads.is_empty() {
            heads.extend(thread.into_iter().max_by_key(Event::rank));
        }
        heads.sort_by_key(Event::rank);
        heads
    }

    /// The events from the first of an entry to `head`.
    pub(crate) fn chain(&self, head: Event<'v>) -> Vec<Event<'v>> {
        let mut chain = vec![head];
        let mut seen = BTreeSet::from([head.id]);
        let mut at = head;
        while let Some(before) = self.before(&at).filter(|event| seen.insert(event.id)) {
            chain.push(before);
            at = before;
        }
        chain.reverse();
        chain
    }
}
