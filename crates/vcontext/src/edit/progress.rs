//! What an item says, and what follows from it for how much is done.

use windlass_tron::{Object, Value};

/// Puts `fields` in the place of those of the item, with what goes with a status.
pub(super) fn put(item: &mut Object<'static>, fields: &Object<'static>, now: &str) {
    for (key, value) in fields.iter() {
        match value.is_null() {
            true => drop(item.remove(key)),
            false => drop(item.insert(key.clone(), value.clone())),
        }
    }
    let Some(status) = fields.get("status").and_then(Value::as_str) else {
        return;
    };
    let tells_times = ["created", "updated", "dueDate", "completed"]
        .iter()
        .any(|name| item.contains_key(name));
    let is_stage = item.contains_key("subItems") || item.contains_key("startDate");
    match status {
        "completed" => {
            if tells_times && !is_stage && !fields.contains_key("completed") {
                item.insert("completed", now.to_owned());
            }
            if item.contains_key("percentComplete") && !fields.contains_key("percentComplete") {
                item.insert("percentComplete", 100);
            }
        }
        _ => drop(item.remove("completed")),
    }
}

/// How much of a stage is done, by its parts, where it says so: those that are cancelled do not count, and one that says
/// nothing is done as a whole or not at all.
pub(super) fn derive_percent(stage: &mut Object<'static>) {
    if !stage.contains_key("percentComplete") {
        return;
    }
    let mut parts: Vec<f64> = Vec::new();
    let lists = [
        stage.get("subItems"),
        stage.get("todoList").and_then(|list| list.get("items")),
    ];
    for item in lists
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flat_map(|items| items.iter())
    {
        let percent = item
            .get("percentComplete")
            .and_then(|own| own.as_number()?.as_f64());
        match item.get("status").and_then(Value::as_str) {
            Some("cancelled") => {}
            Some("completed") => parts.push(100.0),
            _ => parts.push(percent.unwrap_or(0.0)),
        }
    }
    if parts.is_empty() {
        return;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^53 parts"
    )]
    let average = parts.iter().sum::<f64>() / parts.len() as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 100"
    )]
    stage.insert("percentComplete", average.round().clamp(0.0, 100.0) as u64);
}
