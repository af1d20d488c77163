//! New events: they are put at the end of the log, after the event of the same entry that counts.

use windlass_base::did_you_mean;
use windlass_tron::{Object, Value};

use super::metrics::derived_metrics;
use super::thread::Threads;
use crate::time::moment;
use crate::{Container, Document, Operation, json};

/// An event that is to be appended.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What it does.
    pub operation: Operation,
    /// To which entry.
    pub target: String,
    /// The event it has to follow: where another came between, nothing is appended. Nothing for the one that counts.
    pub after: Option<String>,
    /// What it says: `kind`, `title`, `narrative` …, as the specification calls it.
    pub fields: Object<'static>,
    /// What it is called: a name that no event has.
    pub event_id: String,
    /// When it is made, as RFC 3339. Never before the event that it follows: clocks go wrong.
    pub now: String,
}

/// A playbook with one event more.
#[derive(Debug, Clone)]
pub struct Appended {
    /// The document.
    pub value: Value<'static>,
    /// The event.
    pub event: Value<'static>,
}

/// Why an event cannot be appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// There is no playbook in the document.
    #[error("the document has no playbook")]
    NoPlaybook,
    /// There is no such entry.
    #[error("there is no entry `{target}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoEntry {
        /// What was asked for.
        target: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// There is such an entry already.
    #[error("there is an entry `{0}` already; update it, or give the new one another name")]
    EntryExists(String),
    /// There is an event of this name already.
    #[error("there is an event `{0}` already")]
    EventExists(String),
    /// Somebody else was faster.
    #[error(
        "the entry `{target}` is at `{found}`, no longer at `{wanted}`: look at what changed, then try again"
    )]
    Moved {
        /// The entry.
        target: String,
        /// Where it was to be.
        wanted: String,
        /// Where it is.
        found: String,
    },
    /// The entry has several heads.
    #[error("the events {} of `{target}` were made side by side: say with `--after` which of them this one follows", .heads.iter().map(|head| format!("`{head}`")).collect::<Vec<_>>().join(" and "))]
    SideBySide {
        /// The entry.
        target: String,
        /// The events that nothing follows.
        heads: Vec<String>,
    },
}

/// Appends an event to the playbook of `document`. Everything else stays as it is, but for what a playbook says of
/// itself: `updated`, `version`, and `metrics` where it has them.
///
/// # Errors
/// When there is no playbook, the entry is not there (or is, where it is to begin), or another event came between.
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

/// The playbook of a document: the document's own, or the one inside of its list or plan.
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
    if begins {
        if !heads.is_empty() {
            return Err(AppendError::EntryExists(new.target.clone()));
        }
    } else {
        let names: Vec<&str> = heads.iter().map(|head| head.id).collect();
        let head = match (&new.after, &heads[..]) {
            (_, []) => {
                let similar = did_you_mean(&new.target, threads.targets.keys().copied());
                return Err(AppendError::NoEntry {
                    target: new.target.clone(),
                    similar: similar.map(str::to_owned),
                });
            }
            (None, [only]) => only,
            (None, several) => {
                return Err(AppendError::SideBySide {
                    target: new.target.clone(),
                    heads: several.iter().map(|head| head.id.to_owned()).collect(),
                });
            }
            (Some(after), several) => {
                several
                    .iter()
                    .find(|head| head.id == after)
                    .ok_or_else(|| AppendError::Moved {
                        target: new.target.clone(),
                        wanted: after.clone(),
                        found: names.join("`, `"),
                    })?
            }
        };
        event.insert("prevEventId", head.id.to_owned());
        if moment(&created) < head.moment {
            created = head.created_at.to_owned();
        }
    }
    for (key, value) in new.fields.iter() {
        event.insert(key.clone(), value.clone());
    }
    event.insert("createdAt", created);
    Ok(event.into())
}

/// What a playbook says of itself, after a change at `time`.
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
    let items = playbook.get("items").and_then(Value::as_array).cloned();
    let Some(items) = items else {
        return;
    };
    let derived = json::to_value(&derived_metrics(&items));
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
