//! New events: appended to the log, after the current event of the same entry.

use jiff::SignedDuration;
use windlass_base::did_you_mean;
use windlass_tron::{Object, Value};

use super::fold::counting;
use super::metrics::derived_metrics;
use super::thread::{Event, RESOLVES, Threads};
use crate::time::moment;
use crate::{Container, Document, Operation, PlaybookStatus, json};
use windlass_site::{ErrorKind, Explain};

/// Event to append.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Kind of event.
    pub operation: Operation,
    /// Name of the entry.
    pub target: String,
    /// Event that it has to follow; the append fails if another event came between. `None` for the current
    /// one.
    pub after: Option<String>,
    /// Other heads that it resolves, for an entry with concurrent changes; all if empty. `None` to resolve
    /// none.
    pub resolves: Option<Vec<String>>,
    /// Contents: `kind`, `title`, `narrative` …, by their names in the specification.
    pub fields: Object<'static>,
    /// Unique name of the event.
    pub event_id: String,
    /// Time, as RFC 3339. Moved to the time of the preceding event if earlier: clocks can be wrong.
    pub now: String,
}

/// Playbook with an appended event.
#[derive(Debug, Clone)]
pub struct Appended {
    /// The document after the change.
    pub value: Value<'static>,
    /// The event that was appended.
    pub event: Value<'static>,
}

/// Reason why an event cannot be appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Document without a playbook.
    #[error("the document has no playbook")]
    NoPlaybook,
    /// The playbook has no such entry.
    #[error("unknown entry `{target}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoEntry {
        /// Name of the entry that was requested.
        target: String,
        /// Most similar name.
        similar: Option<String>,
    },
    /// Existing entry with the same name.
    #[error("the entry `{0}` exists already; update it, or choose another name")]
    EntryExists(String),
    /// Existing event with the same name.
    #[error("the event `{0}` exists already")]
    EventExists(String),
    /// Concurrent change of the entry.
    #[error(
        "the entry `{target}` is at `{found}`, expected `{wanted}`: check the changes, then try again"
    )]
    Moved {
        /// Name of the entry.
        target: String,
        /// Id of the event that the caller expected as the newest.
        wanted: String,
        /// Id of the newest event.
        found: String,
    },
    /// Entry with a single head, which needs no resolution.
    #[error(
        "the events of `{0}` are not concurrent; to change it, run `windlass doc playbook update`"
    )]
    NotForked(String),
    /// Entry with several heads.
    #[error("the events {} of `{target}` are concurrent: resolve them first, or select the preceding one with `--if-event`", .heads.iter().map(|head| format!("`{head}`")).collect::<Vec<_>>().join(" and "))]
    SideBySide {
        /// Name of the entry.
        target: String,
        /// Events without a successor.
        heads: Vec<String>,
    },
}

/// Appends an event to the playbook of `document`. Everything else stays unchanged, except for the playbook's
/// `updated`, `version` and existing `metrics`.
///
/// # Errors
/// When there is no playbook, the entry is missing (or exists, for a first event), or another event came
/// between.
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

/// Returns the playbook of a document: the document's own, or the one inside of its list or plan.
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

/// Returns the head that an event follows.
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

/// Fields of an event that resolves several heads.
struct Resolution {
    fields: Object<'static>,
    created: String,
}

/// Returns the resolution: it follows one head and names the others. It sets the status of the entry and is
/// later than all of them, so that it also counts for readers that compare times only.
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

/// Updates the playbook's own fields after a change at `time`.
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

/// Updates existing `metrics` of a playbook from its events.
pub(crate) fn refresh_metrics(playbook: &mut Object<'static>) {
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
