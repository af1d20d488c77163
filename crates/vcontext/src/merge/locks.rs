//! Protects locked items from the merges of other users.

use windlass_tron::{Object, Value};

use super::stamps::{same_own, with_parts_of};
use super::{Job, LOCKED, Role, Side};
use crate::edit::{Author, held_by};

/// True if `value` contains a lock of another user.
///
/// This is recursive, which is safe because the depth of documents is limited.
pub(super) fn has_locks(value: &Value<'static>, author: &Author) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_locks(item, author)),
        Value::Object(object) => {
            held_by(object, author).is_some()
                || object.iter().any(|(_, value)| has_locks(value, author))
        }
        _ => false,
    }
}

impl Job<'_> {
    /// Resolves an item that is locked on one side and was changed or removed on the other.
    ///
    /// The locked version wins, and we report a conflict. The item's parts are merged anyway,
    /// because a lock does not extend to them.
    ///
    /// Returns `None` if the lock does not apply, i.e. if the other side's change was made by the
    /// owner of the lock, or after the lock was released.
    pub(super) fn locked(
        &mut self,
        path: &str,
        sides: (Side<'_>, Side<'_>, Side<'_>),
    ) -> Option<Option<Value<'static>>> {
        let (base, ours, theirs) = sides;
        let holder = |side: Side<'_>| held_by(side?.as_object()?, self.author);
        let (by, keeper, other, is_ours) = match (holder(ours), holder(theirs)) {
            (Some(by), _) => (by, ours?, theirs, true),
            (None, Some(by)) => (by, theirs?, ours, false),
            (None, None) => return None,
        };
        let kept = keeper.as_object()?;
        let was = base.and_then(Value::as_object);
        let changed = other.and_then(Value::as_object);
        let is_free = match changed {
            // An item that's missing on the other side was either removed there, or added on this
            // side.
            None => base.is_none(),
            Some(new) => {
                let is_same = same_own(new, kept) || was.is_some_and(|was| same_own(was, new));
                let had_lock = was.and_then(|was| held_by(was, self.author)).as_ref() == Some(&by);
                let gave_it_up = had_lock && held_by(new, self.author).is_none();
                is_same || gave_it_up || changed_by(new) == Some(by.as_str())
            }
        };
        if is_free {
            return None;
        }
        self.report(Some(LOCKED), path, sides);
        let Some(changed) = changed else {
            return Some(Some(keeper.clone()));
        };
        let changed = Value::from(with_parts_of(kept, changed));
        Some(match is_ours {
            true => self.value(path, Role::Item, base, ours, Some(&changed)),
            false => self.value(path, Role::Item, base, Some(&changed), theirs),
        })
    }
}

fn changed_by<'v>(item: &'v Object<'static>) -> Option<&'v str> {
    item.get("lastModifiedBy")?.get("id")?.as_str()
}
