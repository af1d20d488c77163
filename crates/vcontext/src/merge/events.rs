//! Merges the events of playbooks.
//!
//! The result is the union of both logs, since events are never removed or changed.

use std::collections::BTreeMap;

use windlass_tron::Value;

use super::matched::{Row, canonical};
use super::order::arranged;
use super::{EVENT_CHANGED, EVENT_REMOVED, Job};

type List<'v> = &'v [Value<'static>];

/// Identity of an event.
///
/// It's the event's name or, if it has none, its contents. The flag is true for a name, and the
/// number counts the equal events before it.
type Key = (bool, String, usize);

impl Job<'_> {
    /// Returns all events of the three versions.
    ///
    /// If one side removed or changed an event, we restore the event and report it.
    pub(super) fn events(
        &mut self,
        path: &str,
        base: List<'_>,
        ours: List<'_>,
        theirs: List<'_>,
    ) -> Vec<Value<'static>> {
        let mut rows: BTreeMap<Key, Row> = BTreeMap::new();
        put(&mut rows, base, |row, at| row.base = Some(at));
        put(&mut rows, ours, |row, at| row.ours = Some(at));
        put(&mut rows, theirs, |row, at| row.theirs = Some(at));
        let (keys, rows): (Vec<Key>, Vec<Row>) = rows.into_iter().unzip();
        let mut events = Vec::with_capacity(rows.len());
        let mut order = arranged(&rows, true).order;
        // The events that only `theirs` has come last in the log.
        order.sort_by_key(|at| {
            let row = rows.get(*at);
            row.is_some_and(|row| row.base.is_none() && row.ours.is_none())
        });
        for at in order {
            let (Some(row), Some((_, name, _))) = (rows.get(at), keys.get(at)) else {
                continue;
            };
            let sides = (
                row.base.and_then(|at| base.get(at)),
                row.ours.and_then(|at| ours.get(at)),
                row.theirs.and_then(|at| theirs.get(at)),
            );
            let rule = match sides {
                (Some(_), None, _) | (Some(_), _, None) => Some(EVENT_REMOVED),
                (Some(was), Some(own), Some(other)) if own != was || other != was => {
                    Some(EVENT_CHANGED)
                }
                (None, Some(own), Some(other)) if own != other => Some(EVENT_CHANGED),
                _ => None,
            };
            if let Some(rule) = rule {
                let path = format!("{path}[?(@.eventId=='{}')]", name.replace('\'', "\\'"));
                self.report(Some(rule), &path, sides);
            }
            events.extend(sides.0.or(sides.1).or(sides.2).cloned());
        }
        events
    }
}

fn put(rows: &mut BTreeMap<Key, Row>, list: List<'_>, set: impl Fn(&mut Row, usize)) {
    let mut seen: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for (at, event) in list.iter().enumerate() {
        let name = event.get("eventId").and_then(Value::as_str);
        let key = match name {
            Some(name) => (true, name.to_owned()),
            None => (false, canonical(event)),
        };
        let times = seen.entry(key.clone()).or_default();
        set(rows.entry((key.0, key.1, *times)).or_default(), at);
        *times += 1;
    }
}
