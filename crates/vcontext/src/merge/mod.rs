//! Three-way merge of documents.

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
    /// The document with the changes of both versions. A conflict is left at the value of `ours`,
    /// or at that of `theirs` if `ours` removed it.
    pub value: Value<'static>,
    /// Mutually exclusive changes of both sides.
    pub conflicts: Vec<MergeConflict>,
    /// The fork after the merge, with its `mergeStatus`, if `theirs` is a fork of `ours`.
    pub fork: Option<Value<'static>>,
}

/// A location changed differently by both versions, or changed by one against a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeConflict {
    /// The location as a JSONPath, such as `$.plan.items[?(@.id=='p1')].status`.
    pub path: String,
    /// The violated rule, if it isn't a plain conflict. For `event-removed` and `event-changed`,
    /// the event stays as it was. For `locked`, the item stays as on the side with the lock, and
    /// for `order`, the order of `ours` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The value in the base, or `None` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_value: Option<Value<'static>>,
    /// The value in `ours`, or `None` if removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_value: Option<Value<'static>>,
    /// The value in `theirs`, or `None` if removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_value: Option<Value<'static>>,
}

const EVENT_REMOVED: &str = "event-removed";
const EVENT_CHANGED: &str = "event-changed";
const LOCKED: &str = "locked";
const ORDER: &str = "order";

/// Merges `ours` and `theirs`, which both derive from `base`, on behalf of `author`.
///
/// - Items are matched by name, and those without a name by contents and title. Lists of strings
///   are merged as sets, other lists as a whole. An added item comes after its predecessor on its
///   own side. A reordering by one side is applied, and contradicting ones are a conflict.
/// - Author and time of the last change come from the later side. The sequence is that of the
///   version with more changes, plus one if the result equals neither. Change logs are joined and
///   record the merge.
/// - Derived values are computed again: the progress of stages, and the version and metrics of a
///   playbook.
/// - A fork merged into its parent (`fork.parentUid`) leaves the parent's `uid` unchanged and is
///   marked as merged. A fork that a parent is merged into remains a fork, at the parent's
///   sequence.
/// - All events of a playbook stay unchanged, and so do items locked by another user.
#[must_use]
pub fn merge_documents(
    base: &Value<'static>,
    ours: &Value<'static>,
    theirs: &Value<'static>,
    author: &Author,
) -> MergedDocument {
    let fork = fork::forked(base, ours, theirs);
    let called = fork.map(|container| fork::called_as(base, theirs, container));
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

type Side<'v> = Option<&'v Value<'static>>;

/// Kinds of values, by their location in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The document as a whole.
    Root,
    /// Information about the document, such as its version.
    Info,
    /// A list or plan.
    Container,
    /// The items of a container, or the parts of an item.
    Items,
    /// One item of a container.
    Item,
    Playbook,
    /// The events of a playbook.
    Events,
    /// The edges of a plan.
    Edges,
    /// Any other value.
    Other,
}

impl Role {
    /// Returns the kind of the field `key`.
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

    /// Returns the kind of a list's elements.
    fn of_each(self) -> Self {
        match self {
            Self::Items => Self::Item,
            _ => Self::Other,
        }
    }
}

/// Merges unordered lists, applying the removals and additions of both sides.
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

/// Returns the changed side, if at most one side has changed the value.
fn settled<'v>(base: Side<'v>, ours: Side<'v>, theirs: Side<'v>) -> Option<Side<'v>> {
    if ours == theirs || base == theirs {
        return Some(ours);
    }
    (base == ours).then_some(theirs)
}

struct Job<'a> {
    author: &'a Author,
    /// True if the documents have values that one side alone can't change: events and locked items.
    is_guarded: bool,
    conflicts: Vec<MergeConflict>,
}

impl Job<'_> {
    /// Merges a value. Documents are at most 256 levels deep, so we can recurse.
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
        // A value removed by one side and changed by the other stays.
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
            // This is derived from the parts when we merge them.
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

    /// Merges a list. Returns `None` if lists can only be merged as a whole.
    fn list(
        &mut self,
        path: &str,
        role: Role,
        base: &[Value<'static>],
        ours: &[Value<'static>],
        theirs: &[Value<'static>],
    ) -> Option<Vec<Value<'static>>> {
        if let (Some(base), Some(own), Some(other)) = (texts(base), texts(ours), texts(theirs)) {
            return Some(set(&base, &own, &other));
        }
        if role == Role::Edges {
            return Some(set_of_edges(base, ours, theirs));
        }
        let rows = matched(base, ours, theirs)?;
        let arranged = arranged(&rows, false);
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

/// True if the document has a playbook with events.
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

/// Returns the strings of a list without other values.
fn texts<'v>(list: &'v [Value<'static>]) -> Option<Vec<&'v str>> {
    list.iter().map(Value::as_str).collect()
}

/// Merges sets. The result has the elements of either side, except those removed by the other.
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
