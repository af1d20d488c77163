//! Converts values to JSON text, and to and from serde values. Numbers keep their text wherever
//! possible.

use serde::Serialize;
use serde::de::Error as _;
use windlass_tron::Value;

/// Writes `value` as JSON.
///
/// `indent` is the indentation per level. Without it, everything is on one line.
pub(crate) fn written(value: &Value<'_>, indent: Option<&str>) -> String {
    match indent {
        None => value.to_string(),
        Some(indent) => {
            let mut text = String::new();
            pretty(&mut text, value, indent, 0);
            text
        }
    }
}

/// This is recursive, which is safe because the depth of documents is limited.
fn pretty(text: &mut String, value: &Value<'_>, indent: &str, depth: usize) {
    let new_line = |text: &mut String, depth: usize| {
        text.push('\n');
        for _ in 0..depth {
            text.push_str(indent);
        }
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                new_line(text, depth + 1);
                pretty(text, item, indent, depth + 1);
            }
            new_line(text, depth);
            text.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            text.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                new_line(text, depth + 1);
                text.push_str(&Value::String(key.clone()).to_string());
                text.push_str(": ");
                pretty(text, value, indent, depth + 1);
            }
            new_line(text, depth);
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Converts `value` for use in memory.
///
/// The result is not exact: numbers beyond the range of serde_json become strings, and those with
/// more digits than a double are rounded. Use [`crate::exact`] for output.
#[must_use]
pub fn to_json(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_str().parse::<serde_json::Number>() {
            Ok(number) => serde_json::Value::Number(number),
            Err(_) => number.as_str().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| (key.as_str().to_owned(), to_json(value)));
            serde_json::Value::Object(members.collect())
        }
    }
}

pub(crate) fn to_value<T: Serialize>(value: &T) -> Result<Value<'static>, serde_json::Error> {
    let json = serde_json::to_value(value)?;
    serde::Deserialize::deserialize(json)
        .map_err(|error: serde_json::Error| serde_json::Error::custom(error))
}
