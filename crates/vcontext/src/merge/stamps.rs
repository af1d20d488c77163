//! Merges change records and derived fields.
//!
//! These fields would differ in nearly every merge. But since tools maintain them, they can be
//! decided by a rule or derived again, so they never lead to a conflict.

use windlass_tron::{Object, Value};

use super::log::{self, number};
use super::{Job, Role, Side, settled};
use crate::edit::{derive_percent, held_by, log_change};
use crate::index::Index;
use crate::playbook::refresh;
use crate::time::moment;

/// The author and the time of the last change. They only make sense if both come from the same
/// side.
pub(super) const STAMPS: [&str; 2] = ["updated", "lastModifiedBy"];

const PARTS: [&str; 3] = ["items", "subItems", "todoList"];

const PERCENT: &str = "percentComplete";

/// Returns the side whose author and time apply: the only side that changed them or, if both did,
/// the later one. It is `None` if no rule decides.
pub(super) fn stamped_by<'v>(
    role: Role,
    base: Option<&'v Object<'static>>,
    ours: &'v Object<'static>,
    theirs: &'v Object<'static>,
) -> Option<&'v Object<'static>> {
    let stamps = |object: &'v Object<'static>| STAMPS.map(|name| object.get(name));
    let (own, other) = (stamps(ours), stamps(theirs));
    let was = base.map(stamps);
    if own == other || was == Some(other) {
        return Some(ours);
    }
    if was == Some(own) {
        return Some(theirs);
    }
    // Any of these may be missing, or be the same on both sides. Try the next one then.
    let ways: [fn(&Object<'static>) -> Option<i128>; 3] = [updated, sequence, logged];
    let later = ways.into_iter().find_map(|of| {
        let (own, other) = (of(ours), of(theirs));
        (own != other).then_some(other > own)
    });
    match later {
        Some(true) => Some(theirs),
        Some(false) => Some(ours),
        None => (role != Role::Other).then_some(ours),
    }
}

fn updated(object: &Object<'static>) -> Option<i128> {
    let time = object.get("updated")?.as_str().and_then(moment);
    time.map(jiff::Timestamp::as_nanosecond)
}

fn sequence(object: &Object<'static>) -> Option<i128> {
    object.get("sequence").and_then(number).map(i128::from)
}

fn logged(object: &Object<'static>) -> Option<i128> {
    log::last_time(object).map(jiff::Timestamp::as_nanosecond)
}

/// Merges a field that tools maintain. Returns `None` for any other field, and if only one side has
/// changed it.
pub(super) fn derived(
    role: Role,
    key: &str,
    (base, ours, theirs): (Side<'_>, Side<'_>, Side<'_>),
) -> Option<Value<'static>> {
    if settled(base, ours, theirs).is_some() && key != "sequence" {
        return None;
    }
    // A sequence is a count: even the side without a change may have the higher one.
    let list = |side: Side<'_>| side.and_then(Value::as_array).map(|list| list.to_vec());
    let later = |is_later: bool| if is_later { theirs } else { ours }.cloned();
    match key {
        "changeLog" => {
            let (ours, theirs) = (list(ours)?, list(theirs)?);
            Some(log::merged(&list(base).unwrap_or_default(), &ours, &theirs).into())
        }
        "sequence" => later(number(theirs?)? > number(ours?)?),
        "version" if role == Role::Playbook => later(number(theirs?)? > number(ours?)?),
        "created" if role == Role::Playbook => {
            later(moment(theirs?.as_str()?)? < moment(ours?.as_str()?)?)
        }
        // We derive these again once all events are merged.
        "metrics" if role == Role::Playbook => ours.filter(|_| theirs.is_some()).cloned(),
        _ => None,
    }
}

/// True for the progress of an item that has parts in this version.
pub(super) fn is_derived(role: Role, key: &str, item: &Object<'static>) -> bool {
    role == Role::Item && key == PERCENT && has_parts(item)
}

/// True if two versions of an item are equal, apart from their parts and the fields derived from
/// those.
pub(super) fn same_own(one: &Object<'static>, other: &Object<'static>) -> bool {
    let has_parts = has_parts(one) || has_parts(other);
    let is_own = |key: &str| !(PARTS.contains(&key) || has_parts && key == PERCENT);
    let others = Index::of(Some(other));
    let count = |object: &Object<'static>| object.iter().filter(|(key, _)| is_own(key)).count();
    let mut own = one.iter().filter(|(key, _)| is_own(key));
    count(one) == count(other) && own.all(|(key, value)| others.get(key) == Some(value))
}

pub(super) fn with_parts_of(keeper: &Object<'static>, other: &Object<'static>) -> Object<'static> {
    let mut item = keeper.clone();
    for name in PARTS {
        match other.get(name) {
            Some(parts) => drop(item.insert(name, parts.clone())),
            None => drop(item.remove(name)),
        }
    }
    item
}

fn has_parts(item: &Object<'static>) -> bool {
    let [items, list] = parts(item);
    [items, list]
        .into_iter()
        .flatten()
        .any(|list| !list.is_empty())
}

fn parts<'v>(item: &'v Object<'static>) -> [Option<&'v windlass_tron::Array<'static>>; 2] {
    let [items, sub_items, list] = PARTS;
    [
        (item.get(items).or_else(|| item.get(sub_items))).and_then(Value::as_array),
        item.get(list)
            .and_then(|list| list.get("items")?.as_array()),
    ]
}

impl Job<'_> {
    pub(super) fn derive(
        &self,
        role: Role,
        merged: &mut Object<'static>,
        base: Option<&Object<'static>>,
        ours: &Object<'static>,
        theirs: &Object<'static>,
    ) {
        match role {
            Role::Playbook => derive_from_events(merged, ours, theirs),
            Role::Item => {
                self.percent(merged, base, ours, theirs);
                let is_new = !same_own(merged, ours) && !same_own(merged, theirs);
                count(merged, ours, theirs, is_new);
            }
            Role::Container => {
                let is_new = merged != ours && merged != theirs;
                count(merged, ours, theirs, is_new);
                if is_new {
                    self.note(merged);
                }
            }
            _ => {}
        }
    }

    /// Merges the progress of a stage.
    ///
    /// If the parts of a side equal those of the result, its value applies, because somebody may
    /// have set it by hand. Otherwise, we derive it from the parts. A stage that another user has
    /// locked stays as it is.
    fn percent(
        &self,
        merged: &mut Object<'static>,
        base: Option<&Object<'static>>,
        ours: &Object<'static>,
        theirs: &Object<'static>,
    ) {
        let is_held = |item| held_by(item, self.author).is_some();
        if !has_parts(merged) || is_held(ours) || is_held(theirs) {
            return;
        }
        let own = parts(merged);
        let said = match (own == parts(ours), own == parts(theirs)) {
            (true, true) => {
                // Neither side differs in its parts, so the percentage is merged like any other
                // field.
                let of = |item: &'_ Object<'static>| item.get(PERCENT).cloned();
                let (base, ours, theirs) = (base.and_then(of), of(ours), of(theirs));
                let settled = settled(base.as_ref(), ours.as_ref(), theirs.as_ref());
                settled.map(Option::<&_>::cloned)
            }
            (true, false) => Some(ours.get(PERCENT).cloned()),
            (false, true) => Some(theirs.get(PERCENT).cloned()),
            (false, false) => None,
        };
        match said {
            Some(Some(percent)) => drop(merged.insert(PERCENT, percent)),
            Some(None) => drop(merged.remove(PERCENT)),
            None => derive_percent(merged),
        }
    }

    fn note(&self, container: &mut Object<'static>) {
        let sequence = container.get("sequence").and_then(number);
        let Some(sequence) = sequence else { return };
        let what = "two versions were merged";
        log_change(container, sequence, self.author, "merge", what);
    }
}

/// Merges the sequence.
///
/// It is the one of the version with more changes, plus one if the merge has changed anything. It
/// is never less than the last number in the log, so that entries of the log stay in order.
fn count(
    merged: &mut Object<'static>,
    ours: &Object<'static>,
    theirs: &Object<'static>,
    is_new: bool,
) {
    if merged.get("sequence").and_then(number).is_none() {
        return;
    }
    let of = |object: &Object<'static>| object.get("sequence").and_then(number);
    let most = of(ours).max(of(theirs)).max(log::last(merged)).unwrap_or(0);
    let most = most.saturating_add(u64::from(is_new));
    // Don't replace a number by an equal one, which may be spelled in another way.
    if merged.get("sequence").and_then(number) != Some(most) {
        merged.insert("sequence", most);
    }
}

fn derive_from_events(
    merged: &mut Object<'static>,
    ours: &Object<'static>,
    theirs: &Object<'static>,
) {
    let items = merged.get("items");
    let version = merged.get("version").cloned();
    let is_new = items != ours.get("items") && items != theirs.get("items");
    refresh(merged, None);
    // With the events of one side alone, the version of that side is right.
    if let Some(version) = version.filter(|_| !is_new) {
        merged.insert("version", version);
    }
}
