//! What the events of a playbook make of each entry.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use windlass_tron::{Object, Value};

use super::thread::{Event, RESOLVES, Threads};
use crate::{Operation, PlaybookStatus};

/// The entries of a playbook as they stand now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Folded {
    /// By name.
    pub entries: Vec<Entry>,
}

/// An entry as it stands now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// What it is called.
    pub target_id: String,
    /// Whether it is to be followed.
    pub status: PlaybookStatus,
    /// The event that counts.
    pub head: String,
    /// Where events were made side by side: all that nothing follows, the latest last. Else nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// How many events there are.
    pub events: usize,
    /// When it began.
    pub created_at: String,
    /// When the event that counts was made.
    pub updated_at: String,
    /// How often it helped, by all events.
    pub helpful_count: i64,
    /// How often it did harm, by all events.
    pub harmful_count: i64,
    /// What it says: `kind`, `title`, `narrative`, and whatever else its events have, also what nobody knows.
    #[serde(flatten)]
    pub fields: Object<'static>,
}

impl Entry {
    /// The text of a field.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }
}

/// The entries that `items` make. The order in which the events stand decides nothing:
///
/// - a field that an event has replaces that of the events before it; of a narrative, each title on its own;
/// - the counts of all events are added up;
/// - why an entry was deprecated, and what it gave way to, ends when an event makes it active again;
/// - an event that names others in `metadata.resolvesEventIds` ends their branches: what they say counts no more, but for
///   their counts;
/// - where events were made side by side, the one with the later `createdAt` counts, then the one whose name is greater;
///   but one that deprecates the entry counts before one that does not, unless the other made it active again later.
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

/// What an event and those before it say of whether the entry is to be followed.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    status: Option<PlaybookStatus>,
    /// When it was deprecated last.
    deprecated: Option<Timestamp>,
    /// When it was made active last.
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

/// What holds at `head`. Each event is looked at once, however many heads there are.
fn standing<'v>(threads: &Threads<'v>, head: Event<'v>, known: &mut Standings<'v>) -> Standing {
    let mut open = Vec::new();
    let mut at = Some(head);
    let mut standing = Standing::default();
    while let Some(event) = at {
        if let Some(found) = known.get(event.id) {
            standing = *found;
            break;
        }
        // In a circle, this event begins it.
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

/// The head that counts.
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

/// The fields of an event that are about the event, not about what the entry says.
const OF_EVENT: [&str; 7] = [
    "eventId",
    "targetId",
    "operation",
    "prevEventId",
    "createdAt",
    "delta",
    "status",
];

/// The fields that say why an entry is no longer to be followed.
const OF_END: [&str; 3] = ["deprecatedReason", "supersededBy", "duplicateOf"];

/// The head of an entry that counts, and whether the entry is to be followed by it.
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
