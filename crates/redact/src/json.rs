//! Detects and replaces secret values in JSON.

use serde_json::{Map, Value};

use crate::known::hide_known;
use crate::replace::{redact_field, redact_text};
use crate::scan::scan;

/// True if a value has a secret value in its JSON text `json` or in one of its strings. This is
/// much faster than checking each string.
#[must_use]
pub fn json_has_secrets(json: &str) -> bool {
    if !scan(json.as_bytes()).is_empty() {
        return true;
    }
    // Some secrets are recognised by their line, whose end may be escaped here, or by its first
    // word.
    if !["\\", "machine", "default", ": ", "="]
        .iter()
        .any(|hint| json.contains(hint))
    {
        return false;
    }
    // Give each text lines of its own, separated by something no rule reaches across.
    let lines = json.replace("\\n", "\n").replace("\\t", "\t");
    let lines = lines
        .replace("\\u001b", "\u{1b}")
        .replace("\\u001B", "\u{1b}");
    let lines = lines.replace('"', "\n\0\n");
    !scan(lines.as_bytes()).is_empty()
}

/// Returns `value` with the secret values replaced in all its texts and names. A text that belongs
/// to the name of a secret is judged together with it.
#[must_use]
pub fn redact_value(value: Value) -> Value {
    map_texts(value, &|name, text| redact_under(name, &text))
}

/// Redacts an object's fields, like [`redact_value`].
#[must_use]
pub fn redact_fields(fields: Map<String, Value>) -> Map<String, Value> {
    map_fields(fields, &|name, text| redact_under(name, &text))
}

/// Returns `text` with its secret values replaced. `name` is the name of its field, if it has one.
#[must_use]
pub fn redact_under(name: Option<&str>, text: &str) -> String {
    let shown = match name {
        Some(name) => redact_field(name, text),
        None => redact_text(text).0,
    };
    shown.as_str().to_owned()
}

/// Returns `value` without any secret values this process has found in other texts, see
/// [`hide_known`].
#[must_use]
pub fn hide_known_in(value: Value) -> Value {
    map_texts(value, &|_, text| hide_known(&text).into_owned())
}

/// Returns `value` with all its texts and names replaced by `shown`, which also gets the name of
/// the field if the text is its value.
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
