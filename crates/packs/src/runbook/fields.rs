//! The fields that an item has besides the usual ones. Either a step has added them, or they were
//! there before it selected the item.

use serde::Deserialize as _;
use serde_json::{Map, Value};
use windlass_base::Pointer;

const MAX_FIELDS: usize = 12;
/// Maximum size of a field, in characters of JSON.
const MAX_FIELD_CHARS: usize = 1_000;

/// Fields of pointers and verdicts. We never take a verdict from a step, since it may be wrong or
/// made up.
const OF_POINTERS: [&str; 11] = [
    "file",
    "start_line",
    "end_line",
    "source_hash",
    "capture",
    "status",
    "reason",
    "repair",
    "text",
    "text_start_line",
    "lines_cut",
];

/// Fields of items, and fields that are only meant for other steps.
const OF_ITEMS: [&str; 8] = [
    "type",
    "id",
    "kind",
    "label",
    "context",
    "evidence",
    "fields_left_out",
    "symbol",
];

/// Finds the additional fields, and counts the values that we leave out. An item that has been
/// through here before already has them in the object `fields`.
pub(crate) fn fields(value: &Value) -> (Map<String, Value>, u32) {
    let (mut fields, mut left_out) = (Map::new(), 0);
    let Some(map) = value.as_object() else {
        return (fields, left_out);
    };
    let before = map.get("fields").and_then(Value::as_object);
    let beside = map.iter().filter(|(name, value)| {
        let name = name.as_str();
        let own = OF_ITEMS.contains(&name) || OF_POINTERS.contains(&name);
        let inner = name == "fields" && value.is_object();
        !own && !inner
    });
    for (name, value) in before.into_iter().flatten().chain(beside) {
        let mut room = MAX_FIELD_CHARS;
        if fields.len() == MAX_FIELDS {
            left_out += 1;
        } else if let Some(value) = cut(without_claims(value), &mut room, &mut left_out) {
            fields.insert(name.clone(), value);
        }
    }
    (fields, left_out)
}

/// Removes claims about evidence, since they aren't verified. All that's left of a pointer is its
/// location, e.g. `src/main.rs:7-12`.
fn without_claims(value: &Value) -> Value {
    let map = match value {
        Value::Array(list) => return list.iter().map(without_claims).collect(),
        Value::Object(map) => map,
        other => return other.clone(),
    };
    if let Ok(pointer) = Pointer::deserialize(value) {
        let place = Value::from(pointer.to_string());
        let rest = plain(map, &OF_POINTERS);
        return if rest.is_empty() {
            place
        } else {
            let at = std::iter::once(("at".to_owned(), place));
            Value::Object(at.chain(rest).collect())
        };
    }
    let Some(Value::Array(evidence)) = map.get("evidence") else {
        return Value::Object(plain(map, &[]));
    };
    let places: Vec<Value> = evidence.iter().map(without_claims).collect();
    let mut rest = plain(map, &OF_POINTERS);
    rest.shift_remove("evidence");
    rest.shift_remove("context");
    match (&places[..], rest.is_empty()) {
        ([place], true) => place.clone(),
        (_, true) => Value::Array(places),
        (_, false) => {
            rest.insert("at".to_owned(), Value::Array(places));
            Value::Object(rest)
        }
    }
}

fn plain(map: &Map<String, Value>, without: &[&str]) -> Map<String, Value> {
    map.iter()
        .filter(|(name, _)| !without.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), without_claims(value)))
        .collect()
}

/// Cuts `value` to `room` characters of JSON, in whole elements, fields and lines.
///
/// As soon as something doesn't fit, everything after it is omitted as well. There'd be an
/// invisible gap otherwise.
fn cut(value: Value, room: &mut usize, left_out: &mut u32) -> Option<Value> {
    let size = value.to_string().chars().count();
    if size <= *room {
        *room -= size;
        return Some(value);
    }
    if *room > 0 {
        match value {
            Value::Array(list) => {
                let kept = list
                    .into_iter()
                    .filter_map(|value| cut(value, room, left_out));
                return Some(Value::Array(kept.collect()));
            }
            Value::Object(map) => {
                let kept = map.into_iter().filter_map(|(name, value)| {
                    *room = room.saturating_sub(name.chars().count());
                    Some((name, cut(value, room, left_out)?))
                });
                return Some(Value::Object(kept.collect()));
            }
            Value::String(text) if text.contains('\n') => {
                let kept = text.lines().filter_map(|line| {
                    let line = cut(Value::from(line), room, left_out)?;
                    line.as_str().map(str::to_owned)
                });
                return Some(Value::from(kept.collect::<Vec<_>>().join("\n")));
            }
            _ => {}
        }
    }
    *room = 0;
    *left_out = left_out.saturating_add(1);
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: &Value) -> (String, u32) {
        let (fields, left_out) = fields(value);
        (Value::from(fields).to_string(), left_out)
    }

    #[test]
    fn fields_contain_no_claims() {
        let place = json!({"file": "a", "start_line": 1, "end_line": 2, "status": "fresh"});
        let item = json!({"label": "x", "text": "unverified", "evidence": [place]});
        let value = json!({"id": "x", "match": place, "items": [item, {"evidence": [place]}]});
        let want = r#"{"match":"a:1-2","items":[{"label":"x","at":["a:1-2"]},"a:1-2"]}"#;
        assert_eq!(shown(&value), (want.to_owned(), 0));
    }

    #[test]
    fn long_fields_are_cut_and_counted() {
        let list: Vec<String> = (0..500).map(|at| format!("value {at}")).collect();
        let lines = list.join("\n");
        for (value, part) in [(json!({"f": list}), "\",\""), (json!({"f": lines}), "\\n")] {
            let (text, left_out) = shown(&value);
            let kept = text.matches(part).count() + 1;
            assert_eq!(kept + left_out as usize, 500);
            assert!((60..=100).contains(&kept), "{kept}");
            let last = format!("value {}\"", kept - 1);
            assert!(text.contains(&last), "{text}");
        }
        assert_eq!(
            shown(&json!({"f": "x".repeat(2_000)})),
            ("{}".to_owned(), 1)
        );
        let many: Map<String, Value> = list.into_iter().map(|name| (name, json!(1))).collect();
        assert_eq!(shown(&Value::from(many)).1, 500 - 12);
    }
}
