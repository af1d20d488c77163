//! Compares context packs part by part.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::context::model::pack_items::NAMED_LISTS;
use crate::context::{ContextPack, PackId};
use crate::pairing::Pairing;

/// Differences between two packs, part by part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackDiff {
    /// The older pack.
    pub before: PackId,
    /// The newer pack.
    pub after: PackId,
    /// Changed parts.
    pub changes: Vec<PartChange>,
    /// Number of unchanged parts.
    pub unchanged: usize,
}

/// A change to one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct PartChange {
    /// The part's name, as in the provenance.
    pub item: String,
    /// Kind of change.
    pub change: PartFate,
    /// Names of the changed fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// Kind of change of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartFate {
    /// Only the newer pack has the part.
    Added,
    /// Both packs have the part, but its contents differ.
    Changed,
    /// Only the older pack has the part.
    Removed,
}

/// Fields that are about the pack and not about the work. They differ between any two packs, so
/// comparing them would only be noise.
const APART: [&str; 8] = [
    "packId",
    "createdAt",
    "schema_version",
    "provenance",
    "budget",
    "truncation",
    "nextActions",
    "mergedFrom",
];

/// Compares two packs. Parts are matched by name.
#[must_use]
pub fn diff(before: &ContextPack, after: &ContextPack) -> PackDiff {
    let named = |pack| parts(pack).into_iter().collect::<Vec<_>>();
    let mut parts = Pairing::of(named(before), named(after));
    parts.pair(|(item, _)| Some(item.clone()));
    let (unchanged, mut changes) = parts.changes(|old, new| {
        let (item, _) = new.or(old)?;
        let (change, fields) = match (old, new) {
            (Some((_, old)), Some((_, new))) if old == new => return None,
            (Some((_, old)), Some((_, new))) => (PartFate::Changed, differing(old, new)),
            (None, _) => (PartFate::Added, Vec::new()),
            (Some(_), None) => (PartFate::Removed, Vec::new()),
        };
        Some(PartChange {
            item: item.clone(),
            change,
            fields,
        })
    });
    changes.sort();
    PackDiff {
        before: before.pack_id,
        after: after.pack_id,
        changes,
        unchanged,
    }
}

fn differing(old: &Value, new: &Value) -> Vec<String> {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return Vec::new();
    };
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect()
}

/// Splits a pack into its parts. Fields of objects are parts of their own, one level deep.
fn parts(pack: &ContextPack) -> BTreeMap<String, Value> {
    let mut parts = BTreeMap::new();
    let value = serde_json::to_value(pack).unwrap_or_default();
    let fields = value.as_object().cloned().unwrap_or_default();
    for (name, value) in fields {
        if !APART.contains(&name.as_str()) {
            take(&name, value, &mut parts);
        }
    }
    parts
}

fn take(name: &str, value: Value, parts: &mut BTreeMap<String, Value>) {
    let key = NAMED_LISTS
        .iter()
        .find(|(list, _)| *list == name)
        .map(|(_, key)| *key);
    match (value, key) {
        (Value::Array(entries), Some(key)) => {
            for entry in entries {
                let own = entry.get(key).and_then(Value::as_str).unwrap_or_default();
                parts.insert(format!("{name}/{own}"), entry);
            }
        }
        (Value::Array(texts), None) if texts.iter().all(Value::is_string) => {
            for text in texts {
                parts.insert(
                    format!("{name}/{}", text.as_str().unwrap_or_default()),
                    text,
                );
            }
        }
        (Value::Object(fields), _) if !name.contains('/') => {
            for (inner, value) in fields {
                take(&format!("{name}/{inner}"), value, parts);
            }
        }
        (value, _) => {
            parts.insert(name.to_owned(), value);
        }
    }
}
