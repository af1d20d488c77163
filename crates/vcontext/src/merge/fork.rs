//! Forks: copies of a document for separate changes and a later merge (Extension 11).
//!
//! A fork names its parent (`fork.parentUid`), which is how a merge recognizes it. When it is
//! merged into the parent, the parent keeps its own `uid`, `id` and `fork`, and the fork records
//! the result of the merge.

use windlass_tron::{Object, Value};

use super::MergeConflict;
use super::log::{last, number};
use crate::edit::{agent, log_change};
use crate::{Author, Container, EditError};

/// The fields that tell a document from its forks.
const IDENTITY: [&str; 3] = ["uid", "id", "fork"];

/// Creates a copy of the document `parent` with its own `uid`, for `reason`.
///
/// # Errors
/// Returns an error if the document has no TodoList or Plan, or no `uid`.
pub fn fork(
    parent: &Value<'static>,
    uid: &str,
    reason: Option<&str>,
    author: &Author,
) -> Result<Value<'static>, EditError> {
    let mut value = parent.clone();
    let (_, container) = container_of(&mut value).ok_or(EditError::NoItems)?;
    let parent = container.get("uid").filter(|uid| !uid.is_null());
    let parent = parent.cloned().ok_or(EditError::NoUid)?;
    let sequence = container.get("sequence").and_then(number).unwrap_or(0);
    let mut fork = Object::new();
    fork.insert("parentUid", parent);
    fork.insert("parentSequence", sequence);
    fork.insert("forkedAt", author.now.clone());
    if let Some(reason) = reason {
        fork.insert("forkReason", reason.to_owned());
    }
    fork.insert("mergeStatus", "unmerged");
    container.insert("uid", uid.to_owned());
    container.insert("sequence", sequence);
    container.insert("fork", fork);
    Ok(value)
}

/// Adds the `uid` and the `sequence` that a document needs before it can be forked.
///
/// Returns `None` if it has both.
///
/// # Errors
/// Returns an error if the document does not contain a TodoList or Plan.
pub fn forkable(document: &Value<'static>, uid: &str) -> Result<Option<Value<'static>>, EditError> {
    let mut value = document.clone();
    let (_, container) = container_of(&mut value).ok_or(EditError::NoItems)?;
    let lacks = |container: &Object<'static>, name| container.get(name).is_none_or(Value::is_null);
    let is_changed = lacks(container, "uid") || lacks(container, "sequence");
    if lacks(container, "uid") {
        container.insert("uid", uid.to_owned());
    }
    if lacks(container, "sequence") {
        container.insert("sequence", 0_u64);
    }
    Ok(is_changed.then_some(value))
}

fn container_of<'v>(value: &'v mut Value<'static>) -> Option<(Container, &'v mut Object<'static>)> {
    let containers = [Container::TodoList, Container::Plan];
    let found = containers
        .into_iter()
        .find(|one| value.get(one.field()).is_some())?;
    let object = value.as_object_mut()?.get_mut(found.field())?;
    Some((found, object.as_object_mut()?))
}

/// Returns the container of `fork`, if it is a fork of `parent`.
///
/// Two versions of the same fork also have that `parentUid`, but are not forks of each other.
pub(super) fn forked(
    base: &Value<'static>,
    parent: &Value<'static>,
    fork: &Value<'static>,
) -> Option<Container> {
    let of = |document: &Value<'static>, container: Container| {
        document.get(container.field())?.get("fork").cloned()
    };
    [Container::TodoList, Container::Plan]
        .into_iter()
        .find(|container| {
            let own = of(fork, *container);
            let named = own.as_ref().and_then(|own| own.get("parentUid"));
            let uid = parent
                .get(container.field())
                .and_then(|container| container.get("uid"));
            let is_version = |other: &Value<'static>| {
                let other = of(other, *container);
                other.is_some_and(|other| other.get("parentUid") == named)
            };
            named.is_some() && named == uid && !is_version(base) && !is_version(parent)
        })
}

/// Gives `fork` the identity of `base`. Otherwise, the merge would take the fork's identity for a
/// change to the parent.
pub(super) fn called_as(
    base: &Value<'static>,
    fork: &Value<'static>,
    container: Container,
) -> Value<'static> {
    let mut called = fork.clone();
    let was = base.get(container.field());
    if let Some((_, own)) = container_of(&mut called) {
        for name in IDENTITY {
            match was.and_then(|was| was.get(name)) {
                Some(value) => drop(own.insert(name, value.clone())),
                None => drop(own.remove(name)),
            }
        }
    }
    called
}

/// Records in the parent that a fork was merged.
///
/// The parent's sequence continues from its own or from the one in its log, whichever is higher.
pub(super) fn note_in_parent(
    merged: &mut Value<'static>,
    ours: &Value<'static>,
    fork: &Value<'static>,
    container: Container,
    author: &Author,
) {
    let before = ours.get(container.field());
    let uid = |document: &Value<'static>| {
        let uid = document.get(container.field())?.get("uid")?;
        uid.as_str().map(str::to_owned)
    };
    let fork = uid(fork).unwrap_or_default();
    let Some((_, own)) = container_of(merged) else {
        return;
    };
    let known = before.and_then(|before| number(before.get("sequence")?));
    let is_same = before.and_then(Value::as_object) == Some(own);
    // Nothing to record if the merge hasn't changed the parent.
    let Some(known) = known.filter(|_| !is_same) else {
        return;
    };
    if let Some(Value::Array(log)) = own.get_mut("changeLog") {
        // The merge has already added an entry. Ours is more specific, so it replaces that one.
        let is_own = |change: &Value<'static>| {
            let text = |name: &str| change.get(name).and_then(Value::as_str);
            text("operation") == Some("merge") && text("timestamp") == Some(author.now.as_str())
        };
        if log.last().is_some_and(is_own) {
            log.pop();
        }
    }
    let sequence = last(own).max(Some(known)).unwrap_or(0).saturating_add(1);
    own.insert("sequence", sequence);
    let what = format!("the fork `{fork}` was merged");
    log_change(own, sequence, author, "merge", &what);
}

/// Records the parent's sequence in a fork that was updated from the parent.
///
/// The two diverge again from there.
pub(super) fn note_in_fork(
    merged: &mut Value<'static>,
    parent: &Value<'static>,
    container: Container,
) {
    let sequence = parent
        .get(container.field())
        .and_then(|parent| number(parent.get("sequence")?));
    let own = container_of(merged).and_then(|(_, own)| own.get_mut("fork")?.as_object_mut());
    if let (Some(sequence), Some(own)) = (sequence, own) {
        own.insert("parentSequence", sequence);
    }
}

/// Records the result of the merge in `fork`, which is either success or the `conflicts` that are
/// left.
pub(super) fn closed(
    fork: &Value<'static>,
    conflicts: &[MergeConflict],
    author: &Author,
) -> Value<'static> {
    let mut value = fork.clone();
    let own = container_of(&mut value).and_then(|(_, own)| own.get_mut("fork")?.as_object_mut());
    let Some(own) = own else { return value };
    if conflicts.is_empty() {
        own.insert("mergeStatus", "merged");
        own.insert("mergedAt", author.now.clone());
        own.insert("mergedBy", agent(author));
        // A previous attempt may have failed.
        own.remove("conflictResolution");
        return value;
    }
    let conflicts: Vec<Value<'static>> = conflicts.iter().map(conflict_value).collect();
    let mut resolution = Object::new();
    resolution.insert("strategy", "threeWayMerge");
    resolution.insert("conflicts", conflicts);
    own.insert("mergeStatus", "conflict");
    own.insert("conflictResolution", resolution);
    value
}

fn conflict_value(conflict: &MergeConflict) -> Value<'static> {
    let mut conflict_value = Object::new();
    conflict_value.insert("path", conflict.path.clone());
    for (name, side) in [
        ("baseValue", &conflict.base_value),
        ("oursValue", &conflict.ours_value),
        ("theirsValue", &conflict.theirs_value),
    ] {
        if let Some(value) = side {
            conflict_value.insert(name, value.clone());
        }
    }
    conflict_value.insert("status", "unresolved");
    conflict_value.into()
}
