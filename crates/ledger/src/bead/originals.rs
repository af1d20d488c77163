//! Keeps the values of record fields that we rewrote to the strict form.

use serde_json::{Map, Value};

use super::IMPORTED;
use crate::Stamp;
use crate::event::Fields;

/// Collects the fields in which `record` differs from `strict`, with the values of `record`.
///
/// A field that's missing from `record` gets `null`, so that an export removes it again. `is_alike`
/// can declare two values equal.
pub(super) fn originals(
    strict: &Fields,
    record: &Fields,
    fields: &[&str],
    is_alike: impl Fn(&str, &Value) -> bool,
) -> Fields {
    let mut found = Map::new();
    for name in fields {
        let (ours, theirs) = (strict.get(*name), record.get(*name));
        let ours = ours.filter(|value| !is_empty_value(value));
        let theirs = theirs.filter(|value| !is_empty_value(value));
        let is_alike = theirs.is_some_and(|theirs| is_alike(name, theirs));
        if ours != theirs && !is_alike {
            found.insert((*name).to_owned(), theirs.cloned().unwrap_or_default());
        }
    }
    found
}

/// True if every key of `value` is one of `fields`. If so, `value` most likely comes from
/// [`originals`].
pub(super) fn is_ours(value: &Value, fields: &[&str]) -> bool {
    let kept = value.as_object();
    let is_one = |name: &String| fields.contains(&name.as_str()) || name == IMPORTED;
    kept.is_some_and(|kept| kept.keys().all(is_one))
}

pub(super) fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

pub(super) fn text<'a>(record: &'a Fields, name: &str) -> Option<&'a str> {
    record.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// Parses a time field. Databases write times as `2026-01-31 12:00:00`, without an offset, in which
/// case we assume UTC.
pub(super) fn stamp(record: &Fields, name: &str) -> Option<Stamp> {
    let text = text(record, name)?;
    let in_utc = || format!("{}Z", text.replacen(' ', "T", 1)).parse();
    let found: Stamp = text.parse().or_else(|_| in_utc()).ok()?;
    Some(found.to_millis())
}
