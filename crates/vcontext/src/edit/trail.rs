//! Bookkeeping of changes to a document.

use windlass_tron::{Object, Value};

use super::Author;
use crate::Container;
use crate::specification::HEADERS;

/// Updates those change fields that an entity already has.
pub(crate) fn touch(object: &mut Object<'static>, author: &Author) {
    if object.contains_key("updated") {
        object.insert("updated", author.now.clone());
    }
    if let Some(sequence) = object
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64())
    {
        object.insert("sequence", sequence.saturating_add(1));
    }
    if object.contains_key("lastModifiedBy") {
        object.insert("lastModifiedBy", agent(author));
    }
}

/// Updates an item's change counter and author, if present. Its time must have been set already.
pub fn stamp_item(item: &mut Object<'static>, author: &Author) {
    let updated = item.get("updated").cloned();
    touch(item, author);
    if let Some(updated) = updated {
        item.insert("updated", updated);
    }
}

/// Returns the author as written in documents.
pub(crate) fn agent(author: &Author) -> Value<'static> {
    let mut agent = Object::new();
    agent.insert("id", author.id.clone());
    agent.insert("type", author.kind.as_str());
    agent.into()
}

/// Records the last change to the document.
pub(super) fn note_change(
    value: &mut Value<'static>,
    container: Container,
    author: &Author,
    operation: &'static str,
    what: &str,
) {
    let Some(root) = value.as_object_mut() else {
        return;
    };
    for name in HEADERS {
        if let Some(Value::Object(info)) = root.get_mut(name)
            && info.contains_key("updated")
        {
            info.insert("updated", author.now.clone());
        }
    }
    // A playbook's events already record its authors and times.
    if container == Container::Playbook {
        return;
    }
    let Some(Value::Object(container)) = root.get_mut(container.field()) else {
        return;
    };
    touch(container, author);
    let sequence = container
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64());
    if let Some(sequence) = sequence {
        log_change(container, sequence, author, operation, what);
    }
}

/// Appends a change to the log of a list or plan, if it has one.
pub(crate) fn log_change(
    container: &mut Object<'static>,
    sequence: u64,
    author: &Author,
    operation: &'static str,
    what: &str,
) {
    if let Some(Value::Array(log)) = container.get_mut("changeLog") {
        let mut change = Object::new();
        change.insert("sequence", sequence);
        change.insert("timestamp", author.now.clone());
        change.insert("agent", agent(author));
        change.insert("operation", operation);
        change.insert("description", what.to_owned());
        log.push(change.into());
    }
}
