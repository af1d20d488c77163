//! Two versions of a document and the one that both come from, as one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_tron::{Object, Value};

use crate::time::moment;

/// Two versions of a document as one.
#[derive(Debug, Clone)]
pub struct MergedDocument {
    /// What both changed, and where they contradict each other what `ours` has.
    pub value: Value<'static>,
    /// Where they contradict each other.
    pub conflicts: Vec<MergeConflict>,
}

/// A place that both versions changed in different ways.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeConflict {
    /// Where, as a JSONPath: `$.plan.items[?(@.id=='p1')].status`.
    pub path: String,
    /// What both come from; nothing if it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_value: Option<Value<'static>>,
    /// What `ours` has; nothing if it took it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_value: Option<Value<'static>>,
    /// What `theirs` has; nothing if it took it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_value: Option<Value<'static>>,
}

/// Merges `ours` and `theirs`, which both come from `base`. Items and events are matched by their names, other lists of
/// texts are taken for sets, and any other list as a whole. Of counters and times of changes the later one counts.
#[must_use]
pub fn merge_documents(
    base: &Value<'static>,
    ours: &Value<'static>,
    theirs: &Value<'static>,
) -> MergedDocument {
    let mut job = Job {
        conflicts: Vec::new(),
    };
    let value = job.value("$", Some(base), Some(ours), Some(theirs));
    MergedDocument {
        value: value.unwrap_or(Value::Null),
        conflicts: job.conflicts,
    }
}

type Side<'v> = Option<&'v Value<'static>>;

struct Job {
    conflicts: Vec<MergeConflict>,
}

/// The fields that name an object in a list, the best first.
const NAMES: [&str; 4] = ["eventId", "id", "uid", "uri"];

impl Job {
    /// A document is at most 256 levels deep.
    fn value(
        &mut self,
        path: &str,
        base: Side<'_>,
        ours: Side<'_>,
        theirs: Side<'_>,
    ) -> Option<Value<'static>> {
        if ours == theirs || base == theirs {
            return ours.cloned();
        }
        if base == ours {
            return theirs.cloned();
        }
        match (base, ours, theirs) {
            (_, Some(Value::Object(own)), Some(Value::Object(other))) => {
                let base = base.and_then(Value::as_object);
                Some(self.object(path, base, own, other).into())
            }
            (_, Some(Value::Array(own)), Some(Value::Array(other))) => {
                let base = base
                    .and_then(Value::as_array)
                    .map_or(&[][..], |base| &base[..]);
                match self.list(path, base, own, other) {
                    Some(list) => Some(list.into()),
                    None => self.conflict(path, Some(base.to_vec().into()).as_ref(), ours, theirs),
                }
            }
            _ => self.conflict(path, base, ours, theirs),
        }
    }

    fn conflict(
        &mut self,
        path: &str,
        base: Side<'_>,
        ours: Side<'_>,
        theirs: Side<'_>,
    ) -> Option<Value<'static>> {
        self.conflicts.push(MergeConflict {
            path: path.to_owned(),
            base_value: base.cloned(),
            ours_value: ours.cloned(),
            theirs_value: theirs.cloned(),
        });
        // What one side took out and the other changed stays.
        ours.or(theirs).cloned()
    }

    fn object(
        &mut self,
        path: &str,
        base: Option<&Object<'static>>,
        ours: &Object<'static>,
        theirs: &Object<'static>,
    ) -> Object<'static> {
        let mut merged = Object::new();
        let new = theirs.iter().filter(|(key, _)| !ours.contains_key(key));
        for (key, _) in ours.iter().chain(new) {
            let sides = (
                base.and_then(|base| base.get(key)),
                ours.get(key),
                theirs.get(key),
            );
            let value = match later(key, sides.1, sides.2) {
                Some(value) => Some(value),
                None => self.value(&member(path, key), sides.0, sides.1, sides.2),
            };
            if let Some(value) = value {
                merged.insert(key.clone(), value);
            }
        }
        merged
    }

    /// `None` where lists can only be taken as a whole.
    fn list(
        &mut self,
        path: &str,
        base: &[Value<'static>],
        ours: &[Value<'static>],
        theirs: &[Value<'static>],
    ) -> Option<Vec<Value<'static>>> {
        let is_text = |value: &Value<'static>| value.as_str().is_some();
        if [base, ours, theirs]
            .iter()
            .all(|list| list.iter().all(is_text))
        {
            return Some(set(base, ours, theirs));
        }
        let field = NAMES.into_iter().find(|name| {
            let mut lists = [base, ours, theirs].into_iter();
            lists.all(|list| are_named(list, name))
        })?;
        let by_name = |list: &[Value<'static>]| -> BTreeMap<String, Value<'static>> {
            let named = list
                .iter()
                .filter_map(|item| Some((name_of(item, field)?, item.clone())));
            named.collect()
        };
        let (old, own, other) = (by_name(base), by_name(ours), by_name(theirs));
        let names = ours.iter().filter_map(|item| name_of(item, field));
        let new = theirs.iter().filter_map(|item| name_of(item, field));
        let new = new.filter(|name| !own.contains_key(name));
        let mut merged = Vec::new();
        for name in names.chain(new) {
            let path = format!("{path}[?(@.{field}=='{}')]", name.replace('\'', "\\'"));
            let (base, ours, theirs) = (old.get(&name), own.get(&name), other.get(&name));
            merged.extend(self.value(&path, base, ours, theirs));
        }
        Some(merged)
    }
}

/// Of some fields the later value counts, whoever set it.
fn later(key: &str, ours: Side<'_>, theirs: Side<'_>) -> Option<Value<'static>> {
    let (ours, theirs) = (ours?, theirs?);
    let is_later = match key {
        "sequence" => number(theirs)? > number(ours)?,
        "updated" => moment(theirs.as_str()?)? > moment(ours.as_str()?)?,
        _ => return None,
    };
    Some(if is_later { theirs } else { ours }.clone())
}

fn number(value: &Value<'static>) -> Option<u64> {
    value.as_number()?.as_u64()
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

fn name_of(item: &Value<'static>, field: &str) -> Option<String> {
    item.get(field)?.as_str().map(str::to_owned)
}

/// Whether each item has a name of its own in `field`.
fn are_named(list: &[Value<'static>], field: &str) -> bool {
    let mut seen = BTreeSet::new();
    list.iter()
        .all(|item| name_of(item, field).is_some_and(|name| seen.insert(name)))
}

/// What either side has, but for what the other took out.
fn set(
    base: &[Value<'static>],
    ours: &[Value<'static>],
    theirs: &[Value<'static>],
) -> Vec<Value<'static>> {
    let kept = ours
        .iter()
        .filter(|item| theirs.contains(item) || !base.contains(item));
    let new = theirs
        .iter()
        .filter(|item| !ours.contains(item) && !base.contains(item));
    kept.chain(new).cloned().collect()
}
