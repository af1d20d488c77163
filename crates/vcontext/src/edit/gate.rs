//! The gate that every change to a document goes through. It preserves the document's invariants:
//! locked items stay as they are, and derived fields match the rest.

use std::collections::BTreeMap;

use windlass_tron::{Object, Value};

use super::lock::check_lock;
use super::trail::note_change;
use super::{Author, EditError, derive_unless_held};
use crate::{ChangeKind, Document};

/// A description of a change, for the change log.
#[derive(Debug, Clone)]
pub struct Note {
    /// The kind of change.
    pub operation: ChangeKind,
    /// The change in words.
    pub what: String,
}

impl Note {
    /// Creates the description of an update.
    pub fn update(what: impl Into<String>) -> Self {
        Self {
            operation: ChangeKind::Update,
            what: what.into(),
        }
    }
}

/// Completes `value`, which is to replace `document` in the name of `author`, by updating derived
/// fields.
///
/// These are the progress of stages with changed parts, the sequence, the times and the change log.
/// We leave the last three alone if `value` has a higher sequence, since it already covers the
/// change in that case.
///
/// # Errors
/// Returns an error if the change affects an item that another user has locked.
pub fn accepted(
    document: &Document,
    mut value: Value<'static>,
    author: &Author,
    note: &Note,
) -> Result<Value<'static>, EditError> {
    if *document.value() == value {
        return Ok(value);
    }
    let Some((container, node)) = document.container() else {
        return Ok(value);
    };
    keeps_locked(document, &value, author)?;
    // Compare the items by name, since they may have moved.
    let mut before = Vec::new();
    collect(node.value(), &mut before);
    let parts_before = before.iter().filter_map(|item| Some((name(item)?, *item)));
    let parts_before: BTreeMap<&str, &Object<'static>> = parts_before.collect();
    if let Some(whole) = value
        .as_object_mut()
        .and_then(|root| root.get_mut(container.field()))
    {
        derive(whole, &parts_before, author);
    }
    let sequence = |value: &Value<'static>| {
        value
            .get(container.field())?
            .get("sequence")?
            .as_number()?
            .as_u64()
    };
    let (own, known) = (sequence(&value), sequence(document.value()));
    if own <= known {
        // The value may be from anywhere, e.g. from an older copy. The sequence continues from the
        // document's.
        if own < known
            && let (Some(known), Some(Value::Object(whole))) = (
                known,
                value
                    .as_object_mut()
                    .and_then(|root| root.get_mut(container.field())),
            )
        {
            whole.insert("sequence", known);
        }
        let operation = note.operation.as_str();
        note_change(&mut value, container, author, operation, &note.what);
    }
    Ok(value)
}

/// Checks that `value`, which is to replace `document`, leaves items alone that are locked by users
/// other than `author`.
///
/// # Errors
/// Returns an error if an item locked by another user would change.
pub fn keeps_locked(
    document: &Document,
    value: &Value<'static>,
    author: &Author,
) -> Result<(), EditError> {
    let Some((container, node)) = document.container() else {
        return Ok(());
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    collect(node.value(), &mut before);
    if let Some(whole) = value.get(container.field()) {
        collect(whole, &mut after);
    }
    locks_kept(&before, &after, author)
}

/// Collects the items of a list or plan, with each item before its parts.
///
/// This is recursive, which is safe because documents have at most 256 levels.
fn collect<'v>(value: &'v Value<'static>, all: &mut Vec<&'v Object<'static>>) {
    for list in ["items", "subItems"] {
        let items = value.get(list).and_then(Value::as_array);
        for item in items.into_iter().flat_map(|items| items.iter()) {
            all.extend(item.as_object());
            collect(item, all);
        }
    }
    if let Some(list) = value.get("todoList") {
        collect(list, all);
    }
}

fn name<'v>(item: &'v Object<'static>) -> Option<&'v str> {
    let text = |field: &str| item.get(field).and_then(Value::as_str);
    text("id").or_else(|| text("title"))
}

/// The fields that an item's parts can be in. A lock doesn't extend to the parts.
const PARTS: [&str; 3] = ["items", "subItems", "todoList"];

fn locks_kept(
    before: &[&Object<'static>],
    after: &[&Object<'static>],
    author: &Author,
) -> Result<(), EditError> {
    let mut known: Option<BTreeMap<&str, Vec<&Object<'static>>>> = None;
    for item in before {
        let name = name(item).unwrap_or_default();
        let Err(error) = check_lock(item, name, author) else {
            continue;
        };
        // Locked items are rare, so only build the map when there's one.
        let known = known.get_or_insert_with(|| by_name(after));
        let own = |item: &Object<'static>| {
            let mut own = item.clone();
            // A `null` field counts as absent.
            own.retain(|key, value| !PARTS.contains(&key) && !value.is_null());
            own
        };
        let now = known.get(name).into_iter().flatten();
        // Several items may have the same name. It's enough if one of them is unchanged.
        if !now.into_iter().any(|now| own(now) == own(item)) {
            return Err(error);
        }
    }
    Ok(())
}

fn by_name<'v>(items: &[&'v Object<'static>]) -> BTreeMap<&'v str, Vec<&'v Object<'static>>> {
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for item in items {
        found
            .entry(name(item).unwrap_or_default())
            .or_default()
            .push(*item);
    }
    found
}

/// Derives the progress of each stage with changed parts, unless `value` sets the progress itself.
fn derive(value: &mut Value<'static>, before: &BTreeMap<&str, &Object<'static>>, author: &Author) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    for list in ["items", "subItems"] {
        if let Some(Value::Array(items)) = object.get_mut(list) {
            items
                .iter_mut()
                .for_each(|item| derive(item, before, author));
        }
    }
    if let Some(list) = object.get_mut("todoList") {
        derive(list, before, author);
    }
    let Some(old) = name(object).and_then(|name| before.get(name)) else {
        return;
    };
    let same = |field: &str| old.get(field) == object.get(field);
    if same("percentComplete") && !PARTS.iter().all(|field| same(field)) {
        derive_unless_held(object, author);
    }
}
