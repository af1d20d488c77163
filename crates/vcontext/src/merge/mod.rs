//! Two versions of a document and the one that both come from, as one.

mod log;
mod matched;

use serde::Serialize;
use windlass_tron::{Object, Value};

use self::log::{keep_up, number};
use self::matched::matched;
use crate::playbook::refresh;
use crate::time::moment;

/// Two versions of a document as one.
#[derive(Debug, Clone)]
pub struct MergedDocument {
    /// What both changed; where they contradict each other what `ours` has, or what is left where `ours` took it out.
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

/// Merges `ours` and `theirs`, which both come from `base`. Items and events are matched by their names, items without one
/// by what they say and by their titles; lists of texts are taken for sets, and any other list as a whole. Of counters and
/// times of changes the later one counts; logs of changes are joined, and what is derived from the events of a playbook
/// is derived again.
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
                let mut merged = self.object(path, base, own, other);
                if is_playbook(path) {
                    derive(&mut merged, own, other);
                }
                keep_up(&mut merged);
                Some(merged.into())
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
            let value = match derived(path, key, sides).or_else(|| later(key, sides.1, sides.2)) {
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
        let mut merged = Vec::new();
        for row in matched(base, ours, theirs)? {
            let path = format!("{path}{}", row.filter());
            merged.extend(self.value(&path, row.base, row.ours, row.theirs));
        }
        Some(merged)
    }
}

/// Whether a playbook stands there: the document's own, or the one inside of its list or plan.
fn is_playbook(path: &str) -> bool {
    matches!(
        path,
        "$.playbook" | "$.todoList.playbook" | "$.plan.playbook"
    )
}

/// What the tools themselves write down beside a change: it never contradicts.
fn derived(
    path: &str,
    key: &str,
    (base, ours, theirs): (Side<'_>, Side<'_>, Side<'_>),
) -> Option<Value<'static>> {
    if ours == theirs || base == ours || base == theirs {
        return None;
    }
    let list = |side: Side<'_>| side.and_then(Value::as_array).map(|list| list.to_vec());
    match key {
        "changeLog" => {
            let (ours, theirs) = (list(ours)?, list(theirs)?);
            Some(log::merged(&list(base).unwrap_or_default(), &ours, &theirs).into())
        }
        "version" if is_playbook(path) => {
            let is_later = number(theirs?)? > number(ours?)?;
            (if is_later { theirs } else { ours }).cloned()
        }
        "created" if is_playbook(path) => {
            let is_earlier = moment(theirs?.as_str()?)? < moment(ours?.as_str()?)?;
            (if is_earlier { theirs } else { ours }).cloned()
        }
        // It is derived again when all events are there.
        "metrics" if is_playbook(path) => ours.filter(|_| theirs.is_some()).cloned(),
        _ => None,
    }
}

/// What follows from the events of both, as when copies are merged.
fn derive(merged: &mut Object<'static>, ours: &Object<'static>, theirs: &Object<'static>) {
    let items = merged.get("items");
    let version = merged.get("version").cloned();
    let is_new = items != ours.get("items") && items != theirs.get("items");
    refresh(merged, None);
    if let Some(version) = version.filter(|_| !is_new) {
        merged.insert("version", version);
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

fn member(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with(|c: char| c.is_ascii_digit());
    match is_plain {
        true => format!("{path}.{key}"),
        false => format!("{path}['{}']", key.replace('\'', "\\'")),
    }
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
