//! Records who made a change and when.

use windlass_tron::{Object, Value};

use super::Author;
use crate::Container;
use crate::specification::HEADERS;

/// Updates the change fields that an entity has.
///
/// We do not add missing ones.
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

/// Updates the change counter and the author of an item, if it has them.
///
/// The caller must have set the time already.
pub fn stamp_item(item: &mut Object<'static>, author: &Author) {
    // `touch` also sets the time, so we put the caller's back afterwards.
    let updated = item.get("updated").cloned();
    touch(item, author);
    if let Some(updated) = updated {
        item.insert("updated", updated);
    }
}

pub(crate) fn agent(author: &Author) -> Value<'static> {
    let mut agent = Object::new();
    agent.insert("id", author.id.clone());
    agent.insert("type", author.kind.as_str());
    agent.into()
}

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
    // The events of a playbook already record their authors and times.
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

/// Appends a change to the log of a list or plan, but only if it has a log.
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
