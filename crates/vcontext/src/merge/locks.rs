//! Locked items, which a merge by other users doesn't change.

use windlass_tron::{Object, Value};

use super::stamps::{same_own, with_parts_of};
use super::{Job, LOCKED, Role, Side};
use crate::edit::{Author, held_by};

/// True if another user has locked anything in `value`. Documents are at most 256 levels deep, so
/// we can recurse.
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
    /// Resolves an item locked by one side and changed or removed by the other. The locked version
    /// stays and a conflict is reported, but its parts are merged.
    ///
    /// Returns `None` if no lock applies, because the other side's change was made by the lock's
    /// owner or after the lock was released.
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
