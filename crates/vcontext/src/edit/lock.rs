//! Locks of items.
//!
//! A soft lock asks others to wait, and a hard lock forces them to.

use windlass_tron::{Object, Value};

use super::path::name_of;
use super::{Author, EditError};
use crate::time::moment;
use crate::{Document, ItemStatus, work_items};

/// Returns one error for each open item that `author` cannot change because of someone else's lock.
#[must_use]
pub fn locked_items(document: &Document, author: &Author) -> Vec<EditError> {
    let items = work_items(document).unwrap_or_default();
    let open = items.iter().filter(|item| {
        let is_over =
            |status: ItemStatus| matches!(status, ItemStatus::Completed | ItemStatus::Cancelled);
        !item.status().is_some_and(is_over)
    });
    open.filter_map(|item| {
        let object = item.node.value().as_object()?;
        check_lock(object, name_of(item.node), author).err()
    })
    .collect()
}

/// Returns the user whose hard lock keeps `author` from changing the item.
#[must_use]
pub fn held_by(item: &Object<'static>, author: &Author) -> Option<String> {
    match check_lock(item, "", author) {
        Err(EditError::Locked { by, .. }) => Some(by),
        _ => None,
    }
}

/// Checks the lock of an item, and returns the owner of a soft lock.
///
/// A hard lock is an error. The author's own locks do not count, and neither do locks that have
/// expired.
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
