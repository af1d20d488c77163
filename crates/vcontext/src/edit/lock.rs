//! Locks of items: a soft one asks others to wait, a hard one makes them.

use windlass_tron::{Object, Value};

use super::{Author, EditError};
use crate::time::moment;

/// Who asks others to wait; an error where they have to.
pub(super) fn check_lock(
    item: &Object<'static>,
    id: &str,
    author: &Author,
) -> Result<Option<String>, EditError> {
    let Some(lock) = item.get("lockedBy").filter(|lock| !lock.is_null()) else {
        return Ok(None);
    };
    let text = |name: &str| lock.get(name).and_then(Value::as_str);
    let agent = lock
        .get("agent")
        .and_then(|agent| agent.get("id")?.as_str());
    let by = agent.unwrap_or_default().to_owned();
    let until = text("expiresAt");
    let is_over = until
        .and_then(moment)
        .is_some_and(|until| Some(until) <= moment(&author.now));
    if by == author.id || is_over {
        return Ok(None);
    }
    match text("type") {
        Some("hard") => Err(EditError::Locked {
            id: id.to_owned(),
            by,
            until: until.map(str::to_owned),
        }),
        _ => Ok(Some(by)),
    }
}
