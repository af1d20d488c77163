//! Keeps the fields of an item that have no equivalent in a bead. We store them in the bead, so
//! that a later export can restore them.

use serde_json::Value as Json;
use windlass_vcontext::{Node, Object, Value, to_json};

use super::{LINK, NARRATIVES, REST, value};
use windlass_site::Error;

/// Item fields that have an equivalent in a bead, or matter only in their own document.
const MAPPED_FIELDS: [&str; 13] = [
    "id",
    "beadsId",
    "title",
    "status",
    "priority",
    "tags",
    "created",
    "updated",
    "completed",
    "dependencies",
    "sequence",
    "lastModifiedBy",
    "lockedBy",
];

/// Returns an item's extra fields as JSON, or `None` if it has none.
///
/// JSON cannot express every number of a TRON document exactly. If one of them would change, we
/// return all of the fields as text instead.
pub(super) fn of_item(item: Node<'_>) -> Option<Json> {
    let mut kept = item.value().as_object()?.clone();
    kept.retain(|key, value| !value.is_null() && !MAPPED_FIELDS.contains(&key));
    // Some fields have an equivalent in part, so remove that part and keep the rest.
    within(&mut kept, "narrative", |narrative| {
        narrative.retain(|title, _| !NARRATIVES.iter().any(|(known, _)| *known == title));
    });
    within(&mut kept, "metadata", |metadata| {
        drop(metadata.remove(REST));
    });
    among(&mut kept, "uris", |link| {
        !text(link, "uri").is_some_and(|uri| uri.starts_with(LINK))
    });
    among(&mut kept, "participants", |one| {
        // An assignee with just an id becomes the bead's. If it has more than that, we have to keep
        // it.
        let is_plain = one.as_object().is_some_and(|one| one.len() == 2);
        !(is_plain && text(one, "role") == Some("assignee"))
    });
    if kept.is_empty() {
        return None;
    }
    let kept = Value::from(kept);
    let (exact, json) = (kept.to_string(), to_json(&kept));
    let lossy = json.to_string();
    Some(match lossy == exact {
        true => json,
        false => exact.into(),
    })
}

/// The inverse of [`of_item`].
pub(super) fn as_item(kept: &Json) -> Result<Option<Object<'static>>, Error> {
    let kept = match kept {
        Json::String(text) => Value::parse(text).ok().map(Value::into_owned),
        other => Some(value(other.clone())?),
    };
    Ok(kept.and_then(|kept| kept.as_object().cloned()))
}

fn within(item: &mut Object<'static>, field: &str, clean: impl FnOnce(&mut Object<'static>)) {
    if let Some(Value::Object(inner)) = item.get_mut(field) {
        clean(inner);
        if inner.is_empty() {
            item.remove(field);
        }
    }
}

fn among(item: &mut Object<'static>, field: &str, stays: impl Fn(&Value<'static>) -> bool) {
    if let Some(Value::Array(list)) = item.get_mut(field) {
        list.retain(stays);
        if list.is_empty() {
            item.remove(field);
        }
    }
}

fn text<'v>(value: &'v Value<'static>, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str()
}
