//! Adds and changes items of TodoLists and Plans.
//!
//! An edit is more than a new value in a field. Times, sequences, the change log, and the progress
//! of the stages around an item all have to follow, as the specification demands. The functions
//! here do all of that; for a document changed by other means, [`accepted`] makes up for it.

mod gate;
mod lock;
mod path;
mod progress;
mod trail;

use windlass_tron::{Object, Value};

pub use self::gate::{Note, accepted, keeps_locked};
use self::lock::check_lock;
pub use self::lock::{held_by, locked_items};
pub(crate) use self::path::name_of;
use self::path::{Step, follow, path_of};
pub use self::progress::follow_status;
pub(crate) use self::progress::{derive_percent, derived_percent};
use self::progress::{put, settle};
use self::trail::note_change;
pub use self::trail::stamp_item;
use self::trail::touch;
pub(crate) use self::trail::{agent, log_change};
use crate::edges::replace_needs;
use crate::specification::Needs;
use crate::{AgentKind, Container, Document, ItemStatus, PlanStatus, Version};
use windlass_site::{ErrorKind, Explain};

/// The actor and the time of a change.
#[derive(Debug, Clone)]
pub struct Author {
    /// The actor's ID, which also identifies the actor's locks.
    pub id: String,
    /// The kind of actor, for change logs.
    pub kind: AgentKind,
    /// The time of the change, as RFC 3339.
    pub now: String,
}

/// A document with an added or changed item.
#[derive(Debug, Clone)]
pub struct EditedItem {
    /// The whole document after the change.
    pub value: Value<'static>,
    /// The item after the change.
    pub item: Value<'static>,
    /// The owner of a soft lock (`lockedBy`), who asks others to wait. We have made the change
    /// anyway, but the caller should tell the user.
    pub asked_to_wait: Option<String>,
}

/// Reasons to refuse to add or change an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The document does not contain work items.
    #[error("the document has no TodoList or Plan")]
    NoItems,
    /// The document has no `uid`, so a fork could not name its parent.
    #[error("the document has no `uid`, which a fork needs to name its parent")]
    NoUid,
    /// The document does not contain this item.
    #[error("unknown item `{id}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoItem {
        /// The name given by the caller.
        id: String,
        /// A similar known name.
        similar: Option<String>,
    },
    /// An item with dependencies has no `id`, so no edge can name it.
    #[error("the item `{0}` has no `id`, which an edge needs to name it")]
    NoId(String),
    /// The name matches several items.
    #[error("several items are called `{0}`; give each of them its own `id`")]
    SeveralItems(String),
    /// The document has changed since the caller read it.
    #[error(
        "the document is at sequence {found}, expected {wanted}: check the changes, then try again"
    )]
    Changed {
        /// The caller's expected sequence.
        wanted: u64,
        /// The document's current sequence.
        found: u64,
    },
    /// Another user has locked the item.
    #[error("`{by}` has locked the item `{id}`{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    Locked {
        /// The name of the locked item.
        id: String,
        /// The user with the lock.
        by: String,
        /// The end of the lock. There is none for a lock that remains until it is released.
        until: Option<String>,
    },
}

/// Changes the item with this `id`, or an item without an `id` by its title.
///
/// `fields` replace fields of the item, and `null` removes a field. We also update the document's
/// bookkeeping: times, sequences, `lastModifiedBy`, the change log, and the percentages of the
/// stages around the item.
///
/// # Errors
/// Returns an error if the item does not exist, another user has locked it, or the document is not
/// at the sequence `expected`.
pub fn set_item(
    document: &Document,
    id: &str,
    fields: &Object<'static>,
    author: &Author,
    expected: Option<u64>,
) -> Result<EditedItem, EditError> {
    let (mut value, container) = opened(document, expected)?;
    let path = path_of(&value, container, id)?;
    let item = follow(&mut value, &path).ok_or(EditError::NoItems)?;
    let asked_to_wait = check_lock(item, id, author)?;
    let version = document.version();
    let (fields, needs) = spelled(fields, version);
    put(item, &fields, &author.now, version);
    touch(item, author);
    let item = Value::from(item.clone());
    relate(&mut value, container, &item, needs)?;
    // From the inside out, since each stage depends on the one inside of it.
    for end in (1..path.len()).rev() {
        if let Some(outer) = follow(&mut value, &path[..end]) {
            derive_unless_held(outer, author);
        }
    }
    let what = format!("item `{id}`");
    note_change(&mut value, container, author, "update", &what);
    Ok(EditedItem {
        value,
        item,
        asked_to_wait,
    })
}

/// Changes the status of a Plan as a whole.
///
/// # Errors
/// Returns an error if the document does not contain a Plan.
pub fn set_plan_status(
    document: &Document,
    status: PlanStatus,
    author: &Author,
) -> Result<Value<'static>, EditError> {
    let (mut value, container) = opened(document, None)?;
    let plan = follow(&mut value, &[Step::Key(container.field())]);
    let plan = plan.filter(|_| container == Container::Plan);
    plan.ok_or(EditError::NoItems)?
        .insert("status", document.version().plan_word(status).to_owned());
    note_change(&mut value, container, author, "update", "the status");
    Ok(value)
}

/// Adds an item at the end of the list, or at the end of the parts of the stage `into`.
///
/// # Errors
/// See [`set_item`].
pub fn add_item(
    document: &Document,
    into: Option<&str>,
    fields: &Object<'static>,
    author: &Author,
    expected: Option<u64>,
) -> Result<EditedItem, EditError> {
    let (mut value, container) = opened(document, expected)?;
    let (path, list) = match into {
        None => (vec![Step::Key(container.field())], "items"),
        Some(id) => (path_of(&value, container, id)?, "subItems"),
    };
    let version = document.version();
    // Adding a part changes the stage.
    let asked_to_wait = match (into, follow(&mut value, &path)) {
        (Some(id), Some(stage)) => check_lock(stage, id, author)?,
        _ => None,
    };
    let holder = follow(&mut value, &path).ok_or(EditError::NoItems)?;
    let list = match into {
        Some(_) => list_of_parts(holder, version),
        None => list,
    };
    // The item is new, so there's no status to compare with.
    let (mut item, needs) = spelled(fields, version);
    settle(&mut item, version);
    let item = Value::from(item);
    match holder.get_mut(list) {
        Some(Value::Array(items)) => items.push(item.clone()),
        _ => drop(holder.insert(list, vec![item.clone()])),
    }
    relate(&mut value, container, &item, needs)?;
    for end in (1..=path.len()).rev() {
        if let Some(outer) = follow(&mut value, &path[..end]) {
            derive_unless_held(outer, author);
        }
    }
    let name = item.get("id").or_else(|| item.get("title"));
    let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
    let what = format!("item `{name}`");
    note_change(&mut value, container, author, "create", &what);
    Ok(EditedItem {
        value,
        item,
        asked_to_wait,
    })
}

/// Returns the list to add a part to: the stage's existing list, or the preferred one of this
/// version.
fn list_of_parts(stage: &Object<'static>, version: &Version) -> &'static str {
    let is_there = |name: &&str| stage.get(name).is_some_and(|own| own.as_array().is_some());
    let lists = LISTS
        .into_iter()
        .filter(|list| version.parts.iter().any(|own| own == list));
    let there = lists.clone().find(is_there);
    there
        .or_else(|| lists.into_iter().next())
        .unwrap_or(LISTS[0])
}

/// The field names for lists of parts, with the preferred one first.
const LISTS: [&str; 2] = ["items", "subItems"];

/// Spells `fields` in the words of `version`.
///
/// Some versions record dependencies in the plan's edges. In that case, we remove them from the
/// fields, and return them for [`relate`].
fn spelled(
    fields: &Object<'static>,
    version: &'static Version,
) -> (Object<'static>, Option<Vec<String>>) {
    let mut fields = fields.clone();
    let status = fields.get("status").and_then(Value::as_str);
    if let Some(status) = status.and_then(ItemStatus::from_word) {
        fields.insert("status", version.item_word(status).to_owned());
    }
    if version.needs == Needs::Dependencies {
        return (fields, None);
    }
    let needs = fields.remove("dependencies").map(|needs| {
        let needs = needs.as_array().map_or(&[][..], |needs| &needs[..]);
        let needs = needs.iter().filter_map(Value::as_str);
        needs.map(str::to_owned).collect()
    });
    (fields, needs)
}

/// Records the dependencies of `item` in the plan's edges, for versions that have them there.
fn relate(
    value: &mut Value<'static>,
    container: Container,
    item: &Value<'static>,
    needs: Option<Vec<String>>,
) -> Result<(), EditError> {
    let Some(needs) = needs else {
        return Ok(());
    };
    let plan = follow(value, &[Step::Key(container.field())]).ok_or(EditError::NoItems)?;
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("id") {
        "" if needs.is_empty() => {}
        "" => return Err(EditError::NoId(text("title").to_owned())),
        id => replace_needs(plan, id, &needs),
    }
    Ok(())
}

/// Updates the progress of a stage. If another user has locked the stage, we must not change it.
/// The next change after that will make up for it.
fn derive_unless_held(stage: &mut Object<'static>, author: &Author) {
    if held_by(stage, author).is_none() {
        derive_percent(stage);
    }
}

fn opened(
    document: &Document,
    expected: Option<u64>,
) -> Result<(Value<'static>, Container), EditError> {
    let found = document.container();
    let found = found.filter(|(container, _)| *container != Container::Playbook);
    let (container, node) = found.ok_or(EditError::NoItems)?;
    // A document without a sequence is one that hasn't been changed yet.
    let sequence = node.whole_of("sequence").unwrap_or(0);
    let sequence = u64::try_from(sequence).unwrap_or(0);
    match expected {
        Some(wanted) if wanted != sequence => Err(EditError::Changed {
            wanted,
            found: sequence,
        }),
        _ => Ok((document.value().clone(), container)),
    }
}

impl Explain for EditError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoItem { .. } => ErrorKind::NotFound,
            Self::Changed { .. } | Self::Locked { .. } => ErrorKind::Conflict,
            Self::NoItems | Self::NoUid | Self::NoId(_) | Self::SeveralItems(_) => {
                ErrorKind::Invalid
            }
        }
    }
}
