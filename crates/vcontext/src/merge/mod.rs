//! Three-way merge of documents.
//!
//! [`Job`] walks through the three versions in parallel. Where only one side has changed a value,
//! it takes that side; the modules handle the exceptions, i.e. lists, events, locks and derived
//! fields. A merge never fails: each [`MergeConflict`] has a preliminary value in the result, and
//! it is up to the caller what to do about it.

mod events;
mod fork;
mod locks;
mod log;
mod matched;
mod order;
mod stamps;

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_tron::{Object, Value};

pub use self::fork::{fork, forkable};
use self::locks::has_locks;
use self::matched::{canonical, filter, label, matched};
use self::order::arranged;
use self::stamps::{STAMPS, derived, is_derived, stamped_by};
use crate::Author;
use crate::index::Index;
use crate::specification::HEADERS;

/// The result of merging two versions of a document.
#[derive(Debug, Clone)]
pub struct MergedDocument {
    /// The document with the changes of both versions. For a conflict, it has the value of `ours`,
    /// or that of `theirs` if `ours` removed it.
    pub value: Value<'static>,
    /// The changes of both sides that exclude each other.
    pub conflicts: Vec<MergeConflict>,
    /// The fork after the merge, with its `mergeStatus`. It is only set if `theirs` is a fork of
    /// `ours`.
    pub fork: Option<Value<'static>>,
}

/// A location that was changed differently in both versions, or against a rule in one of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeConflict {
    /// JSONPath, e.g. `$.plan.items[?(@.id=='p1')].status`.
    pub path: String,
    /// The rule that was violated, if it is not just a conflict.
    ///
    /// `event-removed` and `event-changed` preserve the event, `locked` preserves the item of the
    /// side with the lock, and `order` uses the order of `ours`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The value in the base, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_value: Option<Value<'static>>,
    /// The value in `ours`, or `None` if it was removed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_value: Option<Value<'static>>,
    /// The value in `theirs`, or `None` if it was removed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_value: Option<Value<'static>>,
}

const EVENT_REMOVED: &str = "event-removed";
const EVENT_CHANGED: &str = "event-changed";
const LOCKED: &str = "locked";
const ORDER: &str = "order";

/// Merges `ours` and `theirs`, two versions derived from `base`, on behalf of `author`.
///
/// - Items are matched by name or, without one, by contents and title. Lists of strings are merged
///   as sets, and other lists as a whole. An added item comes after its predecessor on its own
///   side. If only one side has reordered items, its order applies. Contradictory orders are a
///   conflict.
/// - Author and time of the last change come from the later side. The sequence comes from the
///   version with more changes, plus one if the result equals neither version. The change logs are
///   joined, with a new entry for the merge.
/// - Derived values are computed again: the progress of stages, and the version and metrics of a
///   playbook.
/// - The events of a playbook stay as they are, and so do items locked by another user.
#[must_use]
pub fn merge_documents(
    base: &Value<'static>,
    ours: &Value<'static>,
    theirs: &Value<'static>,
    author: &Author,
) -> MergedDocument {
    let fork = fork::forked(base, ours, theirs);
    let called = fork.map(|container| fork::called_as(base, theirs, container));
    // Conflicts in the identity of a fork would be meaningless, so merge it as if it were the
    // parent itself.
    let (theirs, given) = (called.as_ref().unwrap_or(theirs), theirs);
    let all = [base, ours, theirs];
    let mut job = Job {
        author,
        is_guarded: all
            .iter()
            .any(|one| has_events(one) || has_locks(one, author)),
        conflicts: Vec::new(),
    };
    let value = job.value("$", Role::Root, Some(base), Some(ours), Some(theirs));
    let (mut value, conflicts) = (value.unwrap_or(Value::Null), job.conflicts);
    if let Some(container) = fork {
        fork::note_in_parent(&mut value, ours, given, container, author);
    } else if let Some(container) = fork::forked(base, theirs, ours) {
        fork::note_in_fork(&mut value, theirs, container);
    }
    MergedDocument {
        value,
        fork: fork.map(|_| fork::closed(given, &conflicts, author)),
        conflicts,
    }
}

/// Merges two copies of a playbook that have no common base. A `null` counts as absent.
pub(crate) fn merge_copies(
    ours: &Object<'static>,
    theirs: &Object<'static>,
    author: &Author,
) -> (Object<'static>, Vec<MergeConflict>) {
    let mut job = Job {
        author,
        is_guarded: true,
        conflicts: Vec::new(),
    };
    let is_in_both = |key: &str| ours.contains_key(key) && theirs.contains_key(key);
    let nulls = ours.iter().chain(theirs.iter());
    let nulls = nulls.filter(|(key, value)| value.is_null() && is_in_both(key));
    let base: Object<'static> = nulls.map(|(key, _)| (key.clone(), Value::Null)).collect();
    let merged = job.object("$", Role::Playbook, Some(&base), ours, theirs);
    (merged, job.conflicts)
}

type Side<'v> = Option<&'v Value<'static>>;

/// The meaning of a value, as far as it matters for merging. It follows from the location in the
/// document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    /// The document information, e.g. `vContextInfo`.
    Info,
    /// A list or plan.
    Container,
    /// The items of a container, or the parts of an item.
    Items,
    Item,
    Playbook,
    Events,
    Edges,
    Other,
}

impl Role {
    fn of(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, name) if HEADERS.contains(&name) => Self::Info,
            (Self::Root, "todoList" | "plan") | (Self::Item, "todoList") => Self::Container,
            (Self::Root | Self::Container, "playbook") => Self::Playbook,
            (Self::Container | Self::Item, "items") | (Self::Item, "subItems") => Self::Items,
            (Self::Playbook, "items") => Self::Events,
            (Self::Container, "edges") => Self::Edges,
            _ => Self::Other,
        }
    }

    fn of_each(self) -> Self {
        match self {
            Self::Items => Self::Item,
            _ => Self::Other,
        }
    }
}

/// Merges lists whose order does not matter. The removals and additions of both sides apply.
fn set_of_edges(
    base: &[Value<'static>],
    ours: &[Value<'static>],
    theirs: &[Value<'static>],
) -> Vec<Value<'static>> {
    let keys = |list: &[Value<'static>]| list.iter().map(canonical).collect::<BTreeSet<_>>();
    let (was, own, other) = (keys(base), keys(ours), keys(theirs));
    let kept = ours.iter().filter(|edge| {
        let key = canonical(edge);
        !was.contains(&key) || other.contains(&key)
    });
    let added = theirs.iter().filter(|edge| {
        let key = canonical(edge);
        !was.contains(&key) && !own.contains(&key)
    });
    kept.chain(added).cloned().collect()
}

/// Returns the side to use if at most one of them has changed the value. It is `None` if both have.
fn settled<'v>(base: Side<'v>, ours: Side<'v>, theirs: Side<'v>) -> Option<Side<'v>> {
    if ours == theirs || base == theirs {
        return Some(ours);
    }
    (base == ours).then_some(theirs)
}

struct Job<'a> {
    author: &'a Author,
    /// True if the documents contain events or locked items.
    ///
    /// A single side cannot change those, so we also have to look at values that only one side has
    /// changed.
    is_guarded: bool,
    conflicts: Vec<MergeConflict>,
}

impl Job<'_> {
    /// Merges a value. This is recursive, which is safe because documents have at most 256 levels.
    fn value(
        &mut self,
        path: &str,
        role: Role,
        base: Side<'_>,
        ours: Side<'_>,
        theirs: Side<'_>,
    ) -> Option<Value<'static>> {
        if ours == theirs && base == theirs {
            return ours.cloned();
        }
        let settled = settled(base, ours, theirs);
        if let Some(side) = settled.filter(|_| !self.is_guarded || role == Role::Other) {
            return side.cloned();
        }
        match (base, ours, theirs) {
            (_, Some(Value::Object(own)), Some(Value::Object(other))) => {
                let base = base.and_then(Value::as_object);
                return Some(self.object(path, role, base, own, other).into());
            }
            (_, Some(Value::Array(own)), Some(Value::Array(other))) => {
                let base = base.and_then(Value::as_array);
                let base = base.map_or(&[][..], |base| &base[..]);
                if let Some(list) = self.list(path, role, base, own, other) {
                    return Some(list.into());
                }
            }
            // One side has removed the playbook as a whole.
            (Some(was), ..) if role == Role::Playbook && playbook_has_events(was) => {
                self.report(Some(EVENT_REMOVED), path, (base, ours, theirs));
                let is_whole = |side: &&Value<'static>| side.as_object().is_some();
                let left = ours.filter(is_whole).or(theirs.filter(is_whole));
                return left.or(base).cloned();
            }
            _ => {}
        }
        if let Some(side) = settled {
            return side.cloned();
        }
        self.report(None, path, (base, ours, theirs));
        // A value that was removed on one side and changed on the other stays: losing a change
        // would be worse.
        ours.or(theirs).cloned()
    }

    fn report(
        &mut self,
        rule: Option<&'static str>,
        path: &str,
        (base, ours, theirs): (Side<'_>, Side<'_>, Side<'_>),
    ) {
        self.conflicts.push(MergeConflict {
            path: path.to_owned(),
            rule,
            base_value: base.cloned(),
            ours_value: ours.cloned(),
            theirs_value: theirs.cloned(),
        });
    }

    fn object(
        &mut self,
        path: &str,
        role: Role,
        base: Option<&Object<'static>>,
        ours: &Object<'static>,
        theirs: &Object<'static>,
    ) -> Object<'static> {
        let (was, own, other) = (
            Index::of(base),
            Index::of(Some(ours)),
            Index::of(Some(theirs)),
        );
        let stamps = stamped_by(role, base, ours, theirs);
        let mut merged = Vec::with_capacity(ours.len());
        let new = theirs.iter().filter(|(key, _)| !own.has(key));
        // A playbook and its events can't be removed.
        let gone = base.into_iter().flat_map(Object::iter).filter(|(key, _)| {
            let is_log = matches!(role.of(key), Role::Playbook | Role::Events);
            is_log && !own.has(key) && !other.has(key)
        });
        for (key, _) in ours.iter().chain(new).chain(gone) {
            let sides = (was.get(key), own.get(key), other.get(key));
            let value = match stamps {
                Some(side) if STAMPS.contains(&key.as_str()) => side.get(key).cloned(),
                _ => self.member(path, role, key, sides, (ours, theirs)),
            };
            merged.extend(value.map(|value| (key.clone(), value)));
        }
        let mut merged: Object<'static> = merged.into_iter().collect();
        self.derive(role, &mut merged, base, ours, theirs);
        merged
    }

    fn member(
        &mut self,
        path: &str,
        role: Role,
        key: &str,
        sides: (Side<'_>, Side<'_>, Side<'_>),
        (ours, theirs): (&Object<'static>, &Object<'static>),
    ) -> Option<Value<'static>> {
        if let Some(value) = derived(role, key, sides) {
            return Some(value);
        }
        let (was, own, other) = sides;
        if is_derived(role, key, ours) || is_derived(role, key, theirs) {
            // It's derived from the parts once those are merged, so any value will do.
            return settled(was, own, other).unwrap_or(own.or(other)).cloned();
        }
        let path = member(path, key);
        let lists = [was, own, other].map(|side| side.and_then(Value::as_array));
        match (role.of(key), lists) {
            (Role::Events, [Some(_), ..] | [_, Some(_), _] | [.., Some(_)]) => {
                let [was, own, other] = lists.map(|list| list.map_or(&[][..], |list| &list[..]));
                Some(self.events(&path, was, own, other).into())
            }
            (inner, _) => self.value(&path, inner, was, own, other),
        }
    }

    /// Returns `None` for a list that can only be merged as a whole.
    fn list(
        &mut self,
        path: &str,
        role: Role,
        base: &[Value<'static>],
        ours: &[Value<'static>],
        theirs: &[Value<'static>],
    ) -> Option<Vec<Value<'static>>> {
        // The strings in a list have no identity apart from their text, so we merge lists such as
        // `tags` as sets.
        if let (Some(base), Some(own), Some(other)) = (texts(base), texts(ours), texts(theirs)) {
            return Some(set(&base, &own, &other));
        }
        if role == Role::Edges {
            return Some(set_of_edges(base, ours, theirs));
        }
        let rows = matched(base, ours, theirs)?;
        let arranged = arranged(&rows, false);
        // Both sides have moved items, but in different ways. We keep the order of `ours` and
        // report all three orders by the names of the items.
        if arranged.is_contested {
            let names = |list: &[Value<'static>]| -> Value<'static> {
                let names: Vec<Value<'static>> = list
                    .iter()
                    .map(|item| label(item).to_owned().into())
                    .collect();
                names.into()
            };
            let sides = [base, ours, theirs].map(names);
            let [base, ours, theirs] = &sides;
            self.report(Some(ORDER), path, (Some(base), Some(ours), Some(theirs)));
        }
        let mut merged = Vec::with_capacity(rows.len());
        for row in arranged.order.iter().filter_map(|at| rows.get(*at)) {
            let sides = (
                row.base.and_then(|at| base.get(at)),
                row.ours.and_then(|at| ours.get(at)),
                row.theirs.and_then(|at| theirs.get(at)),
            );
            let (was, own, other) = sides;
            let path = format!("{path}{}", own.or(other).map(filter).unwrap_or_default());
            // Only items can be locked, and most documents have no locked items at all.
            let is_item = role == Role::Items && self.is_guarded;
            let held = match is_item {
                true => self.locked(&path, sides),
                false => None,
            };
            let value = held.unwrap_or_else(|| self.value(&path, role.of_each(), was, own, other));
            merged.extend(value);
        }
        Some(merged)
    }
}

fn has_events(document: &Value<'static>) -> bool {
    let inside = |name: &str| document.get(name)?.get("playbook");
    let all = [document.get("playbook"), inside("todoList"), inside("plan")];
    all.into_iter().flatten().any(playbook_has_events)
}

fn playbook_has_events(playbook: &Value<'static>) -> bool {
    let items = playbook.get("items").and_then(Value::as_array);
    items.is_some_and(|items| !items.is_empty())
}

fn member(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with(|c: char| c.is_ascii_digit());
    match is_plain {
        true => format!("{path}.{key}"),
        false => format!("{path}['{}']", key.replace('\'', "\\'")),
    }
}

/// The strings of a list. It is `None` if the list has anything else.
fn texts<'v>(list: &'v [Value<'static>]) -> Option<Vec<&'v str>> {
    list.iter().map(Value::as_str).collect()
}

/// Merges sets. The result has the elements of either side, except for those that the other side
/// has removed.
fn set(base: &[&str], ours: &[&str], theirs: &[&str]) -> Vec<Value<'static>> {
    let known =
        |list: &[&str]| -> BTreeSet<String> { list.iter().map(|one| (*one).to_owned()).collect() };
    let (was, own, other) = (known(base), known(ours), known(theirs));
    let kept = ours
        .iter()
        .filter(|item| other.contains(**item) || !was.contains(**item));
    let new = theirs
        .iter()
        .filter(|item| !own.contains(**item) && !was.contains(**item));
    kept.chain(new)
        .map(|item| (*item).to_owned().into())
        .collect()
}
