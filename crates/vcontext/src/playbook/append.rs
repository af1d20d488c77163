//! Appends new events to the log.
//!
//! The log is append-only: an update or a deprecation is another event, which names the current
//! event of its entry as its predecessor. If the predecessor is not current anymore, somebody else
//! was faster, and the caller has to look at their changes first.

use jiff::SignedDuration;
use windlass_base::did_you_mean;
use windlass_tron::{Object, Value};

use super::fold::counting;
use super::metrics::derived_metrics;
use super::thread::{Event, RESOLVES, Threads};
use crate::time::moment;
use crate::{Container, Document, Operation, PlaybookStatus, json};
use windlass_site::{ErrorKind, Explain};

/// An event to append.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The kind of event, which decides about the required fields.
    pub operation: Operation,
    /// The name of the event's entry.
    pub target: String,
    /// The predecessor, or `None` for the entry's current event. It is an error if another event
    /// already follows the predecessor.
    pub after: Option<String>,
    /// The other heads to resolve, for an entry with concurrent changes.
    ///
    /// `None` does not resolve any of them, and an empty list resolves all.
    pub resolves: Option<Vec<String>>,
    /// The contents, with names from the specification: `kind`, `title`, `narrative` …
    pub fields: Object<'static>,
    /// A unique name for the event.
    pub event_id: String,
    /// The time of the event, as RFC 3339. Since clocks can be wrong, we never record a time before
    /// that of the predecessor.
    pub now: String,
}

/// A playbook with an appended event.
#[derive(Debug, Clone)]
pub struct Appended {
    /// The document after the change.
    pub value: Value<'static>,
    /// The appended event.
    pub event: Value<'static>,
}

/// Reasons to refuse an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The document does not contain a playbook.
    #[error("the document has no playbook")]
    NoPlaybook,
    /// The playbook does not contain this entry.
    #[error("unknown entry `{target}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoEntry {
        /// The name given by the caller.
        target: String,
        /// A similar known name.
        similar: Option<String>,
    },
    /// An entry with this name already exists.
    #[error("the entry `{0}` exists already; update it, or choose another name")]
    EntryExists(String),
    /// An event with this name already exists.
    #[error("the event `{0}` exists already")]
    EventExists(String),
    /// Somebody else has changed the entry.
    #[error(
        "the entry `{target}` is at `{found}`, expected `{wanted}`: check the changes, then try again"
    )]
    Moved {
        /// The entry's name.
        target: String,
        /// The event that the caller expected to be the newest.
        wanted: String,
        /// The newest event. If there are several heads, it is all of them.
        found: String,
    },
    /// The entry's events are not concurrent, so there is nothing to resolve.
    #[error(
        "the events of `{0}` are not concurrent; to change it, run `windlass doc playbook update`"
    )]
    NotForked(String),
    /// The entry's events are concurrent, and the caller has not said which of them to follow.
    #[error("the events {} of `{target}` are concurrent: resolve them first, or select the preceding one with `--if-event`", .heads.iter().map(|head| format!("`{head}`")).collect::<Vec<_>>().join(" and "))]
    SideBySide {
        /// The entry's name.
        target: String,
        /// The events without a successor.
        heads: Vec<String>,
    },
}

/// Appends an event to the playbook of `document`.
///
/// Apart from that, we only update the fields `updated`, `version` and `metrics` of the playbook,
/// if they are present.
///
/// # Errors
/// Returns an error if the document has no playbook, another event is in between, or the entry is
/// missing. For the first event of an entry, it is an error if the entry exists.
pub fn append_event(document: &Document, new: &NewEvent) -> Result<Appended, AppendError> {
    let mut value = document.value().clone();
    let playbook = playbook_of(&mut value).ok_or(AppendError::NoPlaybook)?;
    let items = playbook.get("items").and_then(Value::as_array);
    let items = items.map_or(&[][..], |items| &items[..]);
    let event = made(items, new)?;
    if let Some(Value::Array(items)) = playbook.get_mut("items") {
        items.push(event.clone());
    } else {
        playbook.insert("items", vec![event.clone()]);
    }
    refresh(playbook, event.get("createdAt").and_then(Value::as_str));
    Ok(Appended { value, event })
}

/// Returns the document's playbook, which may also be inside of its list or plan.
pub(super) fn playbook_of<'v>(root: &'v mut Value<'static>) -> Option<&'v mut Object<'static>> {
    let root = root.as_object_mut()?;
    let path: &[&str] = match () {
        () if root.contains_key(Container::Playbook.field()) => &["playbook"],
        () if root.contains_key(Container::Plan.field()) => &["plan", "playbook"],
        () => &["todoList", "playbook"],
    };
    let mut at = root;
    for name in path {
        at = at.get_mut(name)?.as_object_mut()?;
    }
    Some(at)
}

fn made(items: &[Value<'static>], new: &NewEvent) -> Result<Value<'static>, AppendError> {
    let threads = Threads::of(items);
    if threads.events.contains_key(new.event_id.as_str()) {
        return Err(AppendError::EventExists(new.event_id.clone()));
    }
    let begins = matches!(new.operation, Operation::Initial | Operation::Append);
    let heads = threads.heads(&new.target);
    let mut event = Object::new();
    event.insert("eventId", new.event_id.clone());
    event.insert("targetId", new.target.clone());
    event.insert("operation", new.operation.as_str());
    let mut created = new.now.clone();
    match &new.resolves {
        _ if begins && !heads.is_empty() => {
            return Err(AppendError::EntryExists(new.target.clone()));
        }
        _ if begins => {}
        Some(over) => {
            let resolved = resolution(&threads, &heads, new, over)?;
            for (key, value) in resolved.fields.iter() {
                event.insert(key.clone(), value.clone());
            }
            created = resolved.created;
        }
        None => {
            let head = followed(&threads, &heads, new)?;
            event.insert("prevEventId", head.id.to_owned());
            // The clock of this machine may be behind the one that recorded the predecessor.
            if moment(&created) < head.moment {
                created = head.created_at.to_owned();
            }
        }
    }
    for (key, value) in new.fields.iter() {
        event.insert(key.clone(), value.clone());
    }
    event.insert("createdAt", created);
    Ok(event.into())
}

fn followed<'h, 'v>(
    threads: &Threads<'v>,
    heads: &'h [Event<'v>],
    new: &NewEvent,
) -> Result<&'h Event<'v>, AppendError> {
    match (&new.after, heads) {
        (_, []) => {
            let similar = did_you_mean(&new.target, threads.targets.keys().copied());
            Err(AppendError::NoEntry {
                target: new.target.clone(),
                similar: similar.map(str::to_owned),
            })
        }
        (None, [only]) => Ok(only),
        (None, several) => Err(AppendError::SideBySide {
            target: new.target.clone(),
            heads: several.iter().map(|head| head.id.to_owned()).collect(),
        }),
        (Some(after), several) => several.iter().find(|head| head.id == after).ok_or_else(|| {
            let names: Vec<&str> = several.iter().map(|head| head.id).collect();
            AppendError::Moved {
                target: new.target.clone(),
                wanted: after.clone(),
                found: names.join("`, `"),
            }
        }),
    }
}

struct Resolution {
    fields: Object<'static>,
    created: String,
}

/// Follows one head, and names the others as resolved.
///
/// Other programs do not know the field for resolved heads and only compare times, so the event is
/// later than all heads. It also sets the status of the entry: it might change otherwise, e.g. if
/// one of the other heads was a deprecation.
fn resolution(
    threads: &Threads<'_>,
    heads: &[Event<'_>],
    new: &NewEvent,
    over: &[String],
) -> Result<Resolution, AppendError> {
    if heads.len() == 1 {
        return Err(AppendError::NotForked(new.target.clone()));
    }
    let keep = match &new.after {
        None => counting(threads, heads).map(|(head, _)| head),
        Some(_) => None,
    };
    let keep = match keep {
        Some(head) => head,
        None => *followed(threads, heads, new)?,
    };
    let mut others: Vec<&str> = heads.iter().map(|head| head.id).collect();
    others.retain(|id| *id != keep.id);
    others.sort_unstable();
    let mut wanted: Vec<&str> = over.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    wanted.dedup();
    // The caller has seen other heads than there are now.
    if !wanted.is_empty() && wanted != others {
        return Err(AppendError::Moved {
            target: new.target.clone(),
            wanted: wanted.join("`, `"),
            found: others.join("`, `"),
        });
    }
    let status = counting(threads, &[keep]).map_or(PlaybookStatus::Active, |(_, status)| status);
    let mut metadata = Object::new();
    let others: Vec<Value<'static>> = others
        .into_iter()
        .map(|id| Value::from(id.to_owned()))
        .collect();
    metadata.insert(RESOLVES, others);
    let mut fields = Object::new();
    fields.insert("prevEventId", keep.id.to_owned());
    fields.insert("status", status.as_str());
    fields.insert("metadata", metadata);
    let latest = heads.iter().filter_map(|head| head.moment).max();
    let next = latest.and_then(|latest| latest.checked_add(SignedDuration::from_millis(1)).ok());
    let created = match next {
        Some(next) if moment(&new.now) < Some(next) => next.to_string(),
        _ => new.now.clone(),
    };
    Ok(Resolution { fields, created })
}

pub(crate) fn refresh(playbook: &mut Object<'static>, time: Option<&str>) {
    let version = playbook
        .get("version")
        .and_then(|version| version.as_number()?.as_u64());
    if let Some(version) = version {
        playbook.insert("version", version.saturating_add(1));
    }
    let updated = playbook
        .get("updated")
        .and_then(Value::as_str)
        .map(str::to_owned);
    if let Some(time) = time
        && updated.as_deref().and_then(moment) < moment(time)
    {
        playbook.insert("updated", time.to_owned());
    }
    refresh_metrics(playbook);
}

/// Updates the `metrics` of a playbook from its events. We do not add any that are not there.
fn refresh_metrics(playbook: &mut Object<'static>) {
    if !playbook.contains_key("metrics") {
        return;
    }
    let derived = match playbook.get("items").and_then(Value::as_array) {
        Some(items) => json::to_value(&derived_metrics(items)),
        None => return,
    };
    if let (Some(Value::Object(metrics)), Ok(Value::Object(derived))) =
        (playbook.get_mut("metrics"), derived)
    {
        for (key, value) in derived.into_members() {
            if metrics.contains_key(&key) {
                metrics.insert(key, value);
            }
        }
    }
}

impl Explain for AppendError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoEntry { .. } => ErrorKind::NotFound,
            Self::EntryExists(_)
            | Self::EventExists(_)
            | Self::Moved { .. }
            | Self::SideBySide { .. } => ErrorKind::Conflict,
            Self::NoPlaybook | Self::NotForked(_) => ErrorKind::Invalid,
        }
    }
}
