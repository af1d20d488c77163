//! Checks and sets the bead fields that an update may change.

use serde_json::Value;

use super::{Applied, Refusal};
use crate::bead::{Bead, MAX_PRIORITY, MAX_TITLE};
use crate::event::Fields;

pub(super) fn check_title(title: &str) -> Applied {
    let length = title.chars().count();
    if title.trim().is_empty() {
        Err(Refusal::new("a bead needs a title"))
    } else if length > MAX_TITLE || title.contains(['\n', '\r']) {
        Err(Refusal::new(format!(
            "title has {length} characters: use one line of at most {MAX_TITLE}, and the description for the rest"
        )))
    } else {
        Ok(())
    }
}

pub(super) fn check_priority(priority: u64) -> Result<u8, Refusal> {
    let wrong = || {
        Refusal::new(format!(
            "`{priority}` is not a priority: expected 0 (critical) to {MAX_PRIORITY} (backlog)"
        ))
    };
    u8::try_from(priority)
        .ok()
        .filter(|priority| *priority <= MAX_PRIORITY)
        .ok_or_else(wrong)
}

/// Sets a field of a bead to a value that was checked.
pub(super) type Change = Box<dyn FnOnce(&mut Bead)>;

fn set<T: 'static>(value: T, set: impl Fn(&mut Bead, T) + 'static) -> Change {
    Box::new(move |bead| set(bead, value))
}

/// Returns the change of the field `name` to `value`, or rejects an invalid value. We keep fields
/// that we do not know for the tools that do.
pub(super) fn change(name: &str, value: &Value) -> Result<Change, Refusal> {
    let wrong = |expected: &str| Refusal::new(format!("`{name}` must be {expected}"));
    let text = || match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(wrong("a string")),
    };
    Ok(match name {
        "title" => {
            let title = text()?;
            check_title(&title)?;
            set(title, |bead, title| bead.title = title)
        }
        "description" => set(text()?, |bead, text| bead.description = text),
        "assignee" => set(text()?, |bead, text| {
            bead.assignee = Some(text).filter(|text| !text.is_empty());
        }),
        "issue_type" => {
            let issue_type = text()?.parse().map_err(Refusal::new)?;
            set(issue_type, |bead, it| bead.issue_type = it)
        }
        "priority" => {
            let priority = value.as_u64().ok_or_else(|| wrong("a number"))?;
            set(check_priority(priority)?, |bead, it| bead.priority = it)
        }
        "labels" => {
            let labels = serde_json::from_value(value.clone());
            let labels = labels.map_err(|_| wrong("a list of strings"))?;
            set(labels, |bead, labels| bead.labels = labels)
        }
        "metadata" => {
            let fields = value.as_object().cloned();
            let fields = fields.ok_or_else(|| wrong("an object"))?;
            set(fields, |bead, fields| bead.metadata = fields)
        }
        "id" | "status" | "created_at" | "updated_at" | "created_by" | "dependencies"
        | "closed_at" | "close_reason" | "outcome" => {
            return Err(Refusal::new(format!(
                "`{name}` cannot be changed by an update: use its own event"
            )));
        }
        _ => {
            let name = name.to_owned();
            set(value.clone(), move |bead, value| {
                put(&mut bead.rest, &name, value);
            })
        }
    })
}

/// Sets an entry of `fields`, or removes it if the value is null.
pub(super) fn put(fields: &mut Fields, name: &str, value: Value) {
    match value {
        Value::Null => fields.shift_remove(name),
        value => fields.insert(name.to_owned(), value),
    };
}
