//! Detects and replaces secret values in JSON.

use serde_json::{Map, Value};

use crate::known::hide_known;
use crate::replace::{redact_field, redact_text};
use crate::scan::scan;

/// Returns true if the JSON text `json` or one of its strings contains a secret.
///
/// This is much faster than parsing the text and checking each string.
#[must_use]
pub fn json_has_secrets(json: &str) -> bool {
    if !scan(json.as_bytes()).is_empty() {
        return true;
    }
    // JSON escapes line ends, so rules with a line end haven't had a chance to match yet. Without
    // any of these texts, such rules have nothing to match, and a second scan is unnecessary.
    if !["\\", "machine", "default", ": ", "="]
        .iter()
        .any(|hint| json.contains(hint))
    {
        return false;
    }
    // Put each string on lines of its own, separated by text that no rule reaches across.
    let lines = json.replace("\\n", "\n").replace("\\t", "\t");
    let lines = lines
        .replace("\\u001b", "\u{1b}")
        .replace("\\u001B", "\u{1b}");
    let lines = lines.replace('"', "\n\0\n");
    !scan(lines.as_bytes()).is_empty()
}

/// Replaces the secrets in all strings and object keys of `value`. A field's string is judged
/// together with the field's name.
#[must_use]
pub fn redact_value(value: Value) -> Value {
    map_texts(value, &|name, text| redact_under(name, &text))
}

/// Redacts an object's fields, like [`redact_value`].
#[must_use]
pub fn redact_fields(fields: Map<String, Value>) -> Map<String, Value> {
    map_fields(fields, &|name, text| redact_under(name, &text))
}

/// Redacts a single string.
///
/// Pass the `name` of its field, if any, because the name may be the only sign that a value like
/// `swordfish1` is a secret.
#[must_use]
pub fn redact_under(name: Option<&str>, text: &str) -> String {
    let shown = match name {
        Some(name) => redact_field(name, text),
        None => redact_text(text).0,
    };
    shown.as_str().to_owned()
}

/// Applies [`hide_known`] to all strings and object keys of `value`.
#[must_use]
pub fn hide_known_in(value: Value) -> Value {
    map_texts(value, &|_, text| hide_known(&text).into_owned())
}

/// Replaces all strings and object keys of `value` with the results of `shown`. For the value of a
/// field, `shown` also gets the field's name.
#[must_use]
pub fn map_texts(value: Value, shown: &impl Fn(Option<&str>, String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(shown(None, text)),
        Value::Array(list) => list.into_iter().map(|one| map_texts(one, shown)).collect(),
        Value::Object(fields) => Value::Object(map_fields(fields, shown)),
        other => other,
    }
}

fn map_fields(
    fields: Map<String, Value>,
    shown: &impl Fn(Option<&str>, String) -> String,
) -> Map<String, Value> {
    let fields = fields.into_iter().map(|(name, value)| {
        let value = match value {
            Value::String(text) => Value::String(shown(Some(&name), text)),
            other => map_texts(other, shown),
        };
        (shown(None, name), value)
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_secrets_in_texts_and_keys_are_replaced() {
        const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let value = redact_value(json!({
            "list": [TOKEN, 1, true],
            TOKEN: "x",
            "password": "correct horse (tr0ub4dor&3xyz)",
            "subject": "fix the parser",
        }));
        let text = value.to_string();
        assert!(
            !text.contains("ghp_0123") && !text.contains("tr0ub4dor"),
            "{text}"
        );
        assert_eq!(value["subject"], "fix the parser");
        assert_eq!(value["list"][1], 1);
    }
}
