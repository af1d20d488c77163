//! Computes a playbook's entries from its events.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use windlass_tron::{Object, Value};

use super::thread::{Event, RESOLVES, Threads};
use crate::{Operation, PlaybookStatus};

/// The current entries of a playbook.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Folded {
    /// Entries by name.
    pub entries: Vec<Entry>,
}

/// An entry's current state.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The entry's name.
    pub target_id: String,
    /// The entry's status.
    pub status: PlaybookStatus,
    /// The newest event's id.
    pub head: String,
    /// The heads of concurrent branches, latest last. Empty if there's only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// Number of events.
    pub events: usize,
    /// Time of the first event.
    pub created_at: String,
    /// Time of the current event.
    pub updated_at: String,
    /// Helpful count over all events.
    pub helpful_count: i64,
    /// Harmful count over all events.
    pub harmful_count: i64,
    /// The contents: `kind`, `title`, `narrative`, and all other fields of its events, including
    /// unknown ones.
    #[serde(flatten)]
    pub fields: Object<'static>,
}

impl Entry {
    /// Returns a field's text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }
}

/// Computes the entries from `items`, regardless of the order of events:
///
/// - A field of an event replaces that of earlier events. In a narrative, this goes for each title
///   separately.
/// - The counts of all events are added up.
/// - If an event activates a deprecated entry again, the reason for its deprecation and its
///   replacement are dropped.
/// - An event that names others in `metadata.resolvesEventIds` ends their branches, from which only
///   counts remain.
/// - Of concurrent events, the one with the later `createdAt` counts, then the one with the greater
///   name. An event that deprecates the entry takes precedence, unless the other one activated it
///   again later.
#[must_use]
pub fn fold(items: &[Value<'static>]) -> Folded {
    let threads = Threads::of(items);
    let mut standings = BTreeMap::new();
    let entries = threads.targets.keys();
    Folded {
        entries: entries
            .filter_map(|target| entry(&threads, target, &mut standings))
            .collect(),
    }
}

/// An entry's status after an event and its predecessors.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    status: Option<PlaybookStatus>,
    /// The time of the last deprecation.
    deprecated: Option<Timestamp>,
    /// The time of the last activation.
    activated: Option<Timestamp>,
}

impl Standing {
    fn after(mut self, event: &Event<'_>) -> Self {
        let said = event.value.get("status").and_then(Value::as_str);
        let said = said.and_then(PlaybookStatus::from_word);
        let status = match (said, event.operation) {
            (Some(status), _) => status,
            (None, Some(Operation::Deprecate)) => PlaybookStatus::Deprecated,
            (None, _) => return self,
        };
        match status {
            PlaybookStatus::Deprecated => self.deprecated = event.moment,
            PlaybookStatus::Active => self.activated = event.moment,
            PlaybookStatus::Quarantined => {}
        }
        self.status = Some(status);
        self
    }
}

type Standings<'v> = BTreeMap<&'v str, Standing>;

/// Returns the status at `head`. We visit each event once, however many heads there are.
fn standing<'v>(threads: &Threads<'v>, head: Event<'v>, known: &mut Standings<'v>) -> Standing {
    let mut open = Vec::new();
    let mut at = Some(head);
    let mut standing = Standing::default();
    while let Some(event) = at {
        if let Some(found) = known.get(event.id) {
            standing = *found;
            break;
        }
        // A starting point in case of a cycle.
        known.insert(event.id, Standing::default());
        open.push(event);
        at = threads.before(&event);
    }
    for event in open.into_iter().rev() {
        standing = standing.after(&event);
        known.insert(event.id, standing);
    }
    standing
}

/// Returns the head that counts.
fn winner<'v>(
    threads: &Threads<'v>,
    heads: &[Event<'v>],
    known: &mut Standings<'v>,
) -> Option<(Event<'v>, Standing)> {
    let mut all = Vec::with_capacity(heads.len());
    for head in heads {
        all.push((*head, standing(threads, *head, known)));
    }
    let last = all.last().copied()?;
    let is_deprecated = |(_, standing): &&(Event<'v>, Standing)| {
        standing.status == Some(PlaybookStatus::Deprecated)
    };
    if is_deprecated(&&last) {
        return Some(last);
    }
    match all.iter().rev().find(is_deprecated) {
        Some(ended) if last.1.activated <= ended.1.deprecated => Some(*ended),
        _ => Some(last),
    }
}

/// Fields that describe an event rather than the entry.
const OF_EVENT: [&str; 7] = [
    "eventId",
    "targetId",
    "operation",
    "prevEventId",
    "createdAt",
    "delta",
    "status",
];

/// Fields that describe a deprecation.
const OF_END: [&str; 3] = ["deprecatedReason", "supersededBy", "duplicateOf"];

/// Returns an entry's current head, and true if it makes the entry active.
pub(crate) fn counting<'v>(
    threads: &Threads<'v>,
    heads: &[Event<'v>],
) -> Option<(Event<'v>, PlaybookStatus)> {
    let (head, standing) = winner(threads, heads, &mut BTreeMap::new())?;
    Some((head, standing.status.unwrap_or(PlaybookStatus::Active)))
}

fn entry<'v>(threads: &Threads<'v>, target: &'v str, known: &mut Standings<'v>) -> Option<Entry> {
    let heads = threads.heads(target);
    let (head, standing) = winner(threads, &heads, known)?;
    let chain = threads.chain(head);
    let mut fields = Object::new();
    for event in &chain {
        apply(&mut fields, event.value);
    }
    let thread = threads.thread(target);
    let sum = |name: &str| {
        let counts = thread
            .iter()
            .filter_map(|event| event.value.get("delta")?.get(name)?.as_number()?.as_i64());
        let sum: i128 = counts.map(i128::from).sum();
        i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX })
    };
    let names = heads.iter().map(|head| head.id.to_owned());
    Some(Entry {
        target_id: target.to_owned(),
        status: standing.status.unwrap_or(PlaybookStatus::Active),
        head: head.id.to_owned(),
        heads: if heads.len() > 1 {
            names.collect()
        } else {
            Vec::new()
        },
        events: thread.len(),
        created_at: chain
            .first()
            .map_or("", |first| first.created_at)
            .to_owned(),
        updated_at: head.created_at.to_owned(),
        helpful_count: sum("helpfulCount"),
        harmful_count: sum("harmfulCount"),
        fields,
    })
}

fn apply(fields: &mut Object<'static>, event: &Value<'static>) {
    let Some(event) = event.as_object() else {
        return;
    };
    if event.get("status").and_then(Value::as_str) == Some(PlaybookStatus::Active.as_str()) {
        for name in OF_END {
            fields.remove(name);
        }
    }
    for (key, value) in event.iter() {
        if value.is_null() || OF_EVENT.contains(&key.as_str()) {
            continue;
        }
        match (fields.get_mut(key), value) {
            (_, Value::Object(new)) if key.as_str() == "metadata" && new.contains_key(RESOLVES) => {
                let mut new = new.clone();
                new.remove(RESOLVES);
                if !new.is_empty() {
                    fields.insert(key.clone(), new);
                }
            }
            (Some(Value::Object(own)), Value::Object(new)) if key.as_str() == "narrative" => {
                for (title, text) in new.iter() {
                    own.insert(title.clone(), text.clone());
                }
            }
            _ => drop(fields.insert(key.clone(), value.clone())),
        }
    }
}
