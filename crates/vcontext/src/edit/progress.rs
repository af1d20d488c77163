//! Updates the fields of an item, and the progress derived from them.
//!
//! Status and percentage often say the same thing twice, and a caller may only change one of them.
//! These functions adapt the other one.

use windlass_tron::{Object, Value};

use crate::{ItemStatus, Version};

pub(super) fn put(
    item: &mut Object<'static>,
    fields: &Object<'static>,
    now: &str,
    version: &'static Version,
) {
    let status_of = |item: &Object<'static>| {
        let word = item.get("status").and_then(Value::as_str);
        word.and_then(|word| version.item_status(word))
    };
    let before = status_of(item);
    for (key, value) in fields.iter() {
        match value.is_null() {
            true => drop(item.remove(key)),
            false => drop(item.insert(key.clone(), value.clone())),
        }
    }
    let Some(status) = fields.get("status").and_then(Value::as_str) else {
        if fields.contains_key("percentComplete") {
            follow_percent(item, before, version);
        }
        return;
    };
    // Only add a completion time to items that have times at all. In version 0.4, stages have none.
    let tells_times = ["created", "updated", "dueDate", "completed"]
        .iter()
        .any(|name| item.contains_key(name));
    let has_time = version.shape("PlanItem").field("completed").is_some();
    let is_stage = !has_time && (item.contains_key("subItems") || item.contains_key("startDate"));
    match status {
        "completed" => {
            if tells_times && !is_stage && !fields.contains_key("completed") {
                item.insert("completed", now.to_owned());
            }
        }
        _ => drop(item.remove("completed")),
    }
    match status_of(item) {
        Some(now) if !fields.contains_key("percentComplete") => follow_status(item, before, now),
        // The caller has changed both, and they contradict each other. The status wins, because
        // other items wait for it.
        Some(now @ (ItemStatus::Completed | ItemStatus::Pending)) => {
            follow_status(item, before, now);
        }
        _ => {}
    }
}

/// Resolves a contradiction between the status and the percentage of a new item.
pub(super) fn settle(item: &mut Object<'static>, version: &'static Version) {
    let status = item.get("status").and_then(Value::as_str);
    match status.and_then(|word| version.item_status(word)) {
        Some(ItemStatus::Completed) => follow_status(item, None, ItemStatus::Completed),
        status => follow_percent(item, status, version),
    }
}

/// Adapts the status to a percentage that contradicts it.
///
/// A partly done item is not completed, and one that is fully done must be at least in progress. We
/// do not complete the latter automatically, because other items wait for that: it is up to the
/// author to say so.
fn follow_percent(
    item: &mut Object<'static>,
    status: Option<ItemStatus>,
    version: &'static Version,
) {
    let percent = item.get("percentComplete").and_then(Value::as_number);
    let Some(percent) = percent.and_then(windlass_tron::Number::as_f64) else {
        return;
    };
    let contradicts = match status {
        Some(ItemStatus::Completed) => percent < 100.0,
        Some(ItemStatus::Pending) => percent >= 100.0,
        _ => false,
    };
    if contradicts {
        let word = version.item_word(ItemStatus::InProgress);
        item.insert("status", word.to_owned());
        item.remove("completed");
    }
}

/// Adapts `percentComplete`, if there is one, to a change of status from `before` to `now`.
///
/// A completed item is at 100. If it is reopened, we remove the percentage, since we do not know
/// how much is left.
pub fn follow_status(item: &mut Object<'static>, before: Option<ItemStatus>, now: ItemStatus) {
    let percent = item.get("percentComplete").and_then(Value::as_number);
    let Some(percent) = percent.and_then(windlass_tron::Number::as_f64) else {
        return;
    };
    let is_whole = percent >= 100.0;
    match now {
        ItemStatus::Completed if !is_whole => drop(item.insert("percentComplete", 100)),
        ItemStatus::Pending if is_whole => drop(item.insert("percentComplete", 0)),
        ItemStatus::InProgress | ItemStatus::Blocked
            if is_whole && before == Some(ItemStatus::Completed) =>
        {
            drop(item.remove("percentComplete"));
        }
        _ => {}
    }
}

/// Derives the progress of a stage from its parts, if it has a percentage at all.
///
/// Cancelled parts do not count. A part without a percentage is either completed or at 0.
pub(crate) fn derive_percent(stage: &mut Object<'static>) {
    let Some(said) = stage.get("percentComplete") else {
        return;
    };
    let said = said.as_number().and_then(windlass_tron::Number::as_f64);
    let Some(percent) = percent_of(|name| stage.get(name)) else {
        return;
    };
    // A correct value keeps its spelling, e.g. `50.0`, so that the text doesn't change.
    if said != Some(f64::from(percent)) {
        stage.insert("percentComplete", percent);
    }
}

/// The progress of a stage derived from its parts. It is `None` if there are no parts that count.
pub(crate) fn derived_percent(stage: &Value<'_>) -> Option<f64> {
    percent_of(|name| stage.get(name)).map(f64::from)
}

fn percent_of<'v, 'a: 'v>(field: impl Fn(&str) -> Option<&'v Value<'a>>) -> Option<u32> {
    let mut parts: Vec<f64> = Vec::new();
    let lists = [
        // `subItems` is the older name. `items` takes precedence if both are present.
        field("items").or_else(|| field("subItems")),
        field("todoList").and_then(|list| list.get("items")),
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
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^53 parts"
    )]
    let average = parts.iter().sum::<f64>() / parts.len() as f64;
    let percent = average.round().clamp(0.0, 100.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 100"
    )]
    Some(percent as u32)
}
