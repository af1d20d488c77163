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
    /// The entries, sorted by name.
    pub entries: Vec<Entry>,
}

/// The current state of an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The entry's name.
    pub target_id: String,
    /// The status. It is active, unless an event sets another one.
    pub status: PlaybookStatus,
    /// The current event.
    pub head: String,
    /// The heads of concurrent branches, with the latest at the end.
    ///
    /// It is empty if there is just one head.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// The number of events.
    pub events: usize,
    /// The time of the first event.
    pub created_at: String,
    /// The time of the current event.
    pub updated_at: String,
    /// The helpful count over all events.
    pub helpful_count: i64,
    /// The harmful count over all events.
    pub harmful_count: i64,
    /// The contents: `kind`, `title`, `narrative`, and all other fields of the events, whether we
    /// know them or not.
    #[serde(flatten)]
    pub fields: Object<'static>,
}

impl Entry {
    /// The string in the field `name`.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// Describes the confidence, the votes and the concurrent changes of the entry.
    ///
    /// There is no remark for something it does not have.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let confidence = self.fields.get("confidence");
        let (helpful, harmful) = (self.helpful_count, self.harmful_count);
        let remarks = [
            confidence.map(|confidence| format!("confidence {confidence}")),
            (helpful != 0 || harmful != 0).then(|| format!("helpful {helpful}, harmful {harmful}")),
            (!self.heads.is_empty())
                .then(|| format!("concurrent changes: {}", self.heads.join(", "))),
        ];
        remarks.into_iter().flatten().collect()
    }
}

/// Computes the entries from `items`.
///
/// The order of events makes no difference, since copies of a log may be merged in any order:
///
/// - A field of an event replaces the same field of earlier events. In a narrative, each title is
///   replaced separately.
/// - The counts of all events are added up.
/// - An event that reactivates a deprecated entry removes its replacement and the reason for its
///   deprecation.
/// - An event with other events in `metadata.resolvesEventIds` ends their branches. Only their
///   counts remain.
/// - Of concurrent events, the one with the later `createdAt` wins, then the one with the greater
///   name. However, a deprecation takes precedence, unless the other event activated the entry
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

/// The status of an entry after an event and its predecessors.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    status: Option<PlaybookStatus>,
    deprecated: Option<Timestamp>,
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

/// Returns the status at `head`. We visit each event only once, regardless of the number of heads.
fn standing<'v>(threads: &Threads<'v>, head: Event<'v>, known: &mut Standings<'v>) -> Standing {
    let mut open = Vec::new();
    let mut at = Some(head);
    let mut standing = Standing::default();
    while let Some(event) = at {
        if let Some(found) = known.get(event.id) {
            standing = *found;
            break;
        }
        // If the events form a cycle, we get back here.
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

fn winner<'v>(
    threads: &Threads<'v>,
    heads: &[Event<'v>],
    known: &mut Standings<'v>,
) -> Option<(Event<'v>, Standing)> {
    let mut all = Vec::with_capacity(heads.len());
    for head in heads {
        all.push((*head, standing(threads, *head, known)));
    }
    // The heads are sorted, so that's the latest one.
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

/// Fields that belong to the event itself, and not to its entry.
const OF_EVENT: [&str; 7] = [
    "eventId",
    "targetId",
    "operation",
    "prevEventId",
    "createdAt",
    "delta",
    "status",
];

/// Fields about a deprecation, which disappear when the entry is reactivated.
const OF_END: [&str; 3] = ["deprecatedReason", "supersededBy", "duplicateOf"];

/// Returns the head that counts for an entry, and the status at that event.
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
        // Add with more bits, since the total may only overflow in between.
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
            // This list is about the event. Don't show it with the entry.
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
