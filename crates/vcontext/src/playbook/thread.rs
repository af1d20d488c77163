//! Threads: all events of an entry, linked to their predecessors.
//!
//! Logs come from other programs and from merges, so any link may be wrong: it may lead nowhere, to
//! another entry, or in a circle. Nothing here trusts it to end.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use windlass_tron::Value;

use crate::Operation;

/// The field in the `metadata` of an event that lists the heads it resolves.
///
/// The specification only has a single `prevEventId`. Other programs therefore see two heads, and
/// go by the later one, which is the event with this field.
pub(crate) const RESOLVES: &str = "resolvesEventIds";

/// An event, reduced to the fields that matter for threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'v> {
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
    /// Reads an event. Returns `None` if the event or its entry has no name.
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

    /// The sort key of an event: its time, and then its name. The position in the log isn't part of
    /// it, because that's different in each copy.
    pub(crate) fn rank(&self) -> (Option<Timestamp>, &'v str) {
        (self.moment, self.id)
    }

    /// The heads that this event resolves.
    ///
    /// They're concurrent events of the same entry, other than the predecessor.
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

    /// True for the first event of an entry.
    pub(crate) fn begins(&self) -> bool {
        matches!(self.operation, Some(Operation::Initial | Operation::Append))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Threads<'v> {
    /// Valid events with unique names.
    pub(crate) events: BTreeMap<&'v str, Event<'v>>,
    pub(crate) targets: BTreeMap<&'v str, BTreeSet<&'v str>>,
}

impl<'v> Threads<'v> {
    /// Collects the threads in `items`.
    ///
    /// If two events have the same name, we use the one whose text sorts first. It would be more
    /// obvious to use the first one in the log, but then the result would depend on the order in
    /// which copies were merged.
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

    pub(crate) fn thread(&self, target: &str) -> Vec<Event<'v>> {
        let ids = self.targets.get(target).into_iter().flatten();
        ids.filter_map(|id| self.events.get(id).copied()).collect()
    }

    /// Returns the predecessor of `event`, if it belongs to the same entry.
    pub(crate) fn before(&self, event: &Event<'v>) -> Option<Event<'v>> {
        let prev = self.events.get(event.prev?)?;
        (prev.target == event.target && prev.id != event.id).then_some(*prev)
    }

    /// Returns the events of an entry that have no successor, with the latest at the end.
    ///
    /// If they form a cycle, each of them has a successor, and we return the latest one.
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

    /// Returns the events from the first one of an entry to `head`.
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
