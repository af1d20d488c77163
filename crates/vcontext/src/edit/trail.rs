//! What a document says of its changes.

use windlass_tron::{Object, Value};

use super::Author;
use crate::Container;

/// What an entity says of its last change, as far as it says anything.
pub(super) fn touch(object: &mut Object<'static>, agent: &Value<'static>, now: &str) {
    if object.contains_key("updated") {
        object.insert("updated", now.to_owned());
    }
    if let Some(sequence) = object
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64())
    {
        object.insert("sequence", sequence.saturating_add(1));
    }
    if object.contains_key("lastModifiedBy") {
        object.insert("lastModifiedBy", agent.clone());
    }
}

/// Who changes it, as documents have it.
pub(super) fn agent(author: &Author) -> Value<'static> {
    let mut agent = Object::new();
    agent.insert("id", author.id.clone());
    agent.insert("type", author.kind.as_str());
    agent.into()
}

/// What the document says of its last change.
pub(super) fn note_change(
    value: &mut Value<'static>,
    container: Container,
    agent: &Value<'static>,
    author: &Author,
    operation: &'static str,
    item: &str,
) {
    let Some(root) = value.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(info)) = root.get_mut("vContextInfo")
        && info.contains_key("updated")
    {
        info.insert("updated", author.now.clone());
    }
    let Some(Value::Object(container)) = root.get_mut(container.field()) else {
        return;
    };
    touch(container, agent, &author.now);
    let sequence = container
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64());
    if let (Some(sequence), Some(Value::Array(log))) = (sequence, container.get_mut("changeLog")) {
        let mut change = Object::new();
        change.insert("sequence", sequence);
        change.insert("timestamp", author.now.clone());
        change.insert("agent", agent.clone());
        change.insert("operation", operation);
        change.insert("description", format!("item `{item}`"));
        log.push(change.into());
    }
}
