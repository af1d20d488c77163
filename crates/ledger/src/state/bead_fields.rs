//! Checks and sets the bead fields that an update may change.

use serde_json::Value;

use super::{Applied, Refusal};
use crate::bead::{Bead, MAX_PRIORITY, MAX_TITLE};

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

/// Sets the field `name` of a bead, or rejects an invalid value. We keep fields that we do not know
/// for the tools that do.
pub(super) fn change(bead: &mut Bead, name: &str, value: &Value) -> Applied {
    let text = || match value {
        Value::Null => Ok(""),
        Value::String(text) => Ok(text.as_str()),
        _ => Err(Refusal::new(format!("`{name}` must be a string"))),
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match name {
        "title" => {
            check_title(text()?)?;
            bead.title = text()?.to_owned();
        }
        "description" => bead.description = text()?.to_owned(),
        "assignee" => bead.assignee = some(text()?),
        "issue_type" => bead.issue_type = text()?.parse().map_err(Refusal::new)?,
        "priority" => {
            let priority = value
                .as_u64()
                .ok_or_else(|| Refusal::new("`priority` must be a number"))?;
            bead.priority = check_priority(priority)?;
        }
        "labels" => {
            let labels = serde_json::from_value(value.clone());
            bead.labels = labels.map_err(|_| Refusal::new("`labels` must be a list of strings"))?;
        }
        "metadata" => {
            let fields = value.as_object().cloned();
            bead.metadata = fields.ok_or_else(|| Refusal::new("`metadata` must be an object"))?;
        }
        "id" | "status" | "created_at" | "updated_at" | "created_by" | "dependencies"
        | "closed_at" | "close_reason" | "outcome" => {
            return Err(Refusal::new(format!(
                "`{name}` cannot be changed by an update: use its own event"
            )));
        }
        _ if value.is_null() => {
            bead.rest.shift_remove(name);
        }
        _ => {
            bead.rest.insert(name.to_owned(), value.clone());
        }
    }
    Ok(())
}
