//! Coercion of arguments that a client has sent as strings.
//!
//! Some models put quotes around everything, e.g. `"limit": "3"` for an integer. If the schema
//! does not allow a string there, only one other meaning is possible, so we accept it.

use serde_json::{Map, Value};
use windlass::plan::check_arguments;

/// Parses `"true"`, `"3"`, `"[…]"` and `"{…}"` in `arguments`, but only where `schema` accepts no
/// string. Anything else is left for validation to report.
pub(crate) fn coerced(schema: &Value, arguments: Map<String, Value>) -> Map<String, Value> {
    match coerced_value(schema, Value::Object(arguments)) {
        Value::Object(fields) => fields,
        // An object remains an object.
        _ => Map::new(),
    }
}

fn coerced_value(schema: &Value, value: Value) -> Value {
    let value = match value {
        Value::String(text) if !takes_text(schema) => match read(schema, &text) {
            Some(read) => read,
            None => return Value::String(text),
        },
        other => other,
    };
    if let Some(choices) = choices(schema) {
        // Take the first alternative that the converted value matches.
        let each = choices
            .iter()
            .map(|choice| (choice, coerced_value(choice, value.clone())));
        let fitting = each.filter(|(choice, value)| check_arguments(choice, value, 1).is_empty());
        let fitting = fitting.map(|(_, value)| value).next();
        return fitting.unwrap_or(value);
    }
    match value {
        Value::Object(fields) => {
            let of = |name: &str| {
                let own = schema.get("properties").and_then(|own| own.get(name));
                own.or_else(|| schema.get("additionalProperties"))
                    .unwrap_or(&Value::Bool(true))
            };
            let fields = fields.into_iter().map(|(name, value)| {
                let value = coerced_value(of(&name), value);
                (name, value)
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            let of = schema.get("items").unwrap_or(&Value::Bool(true));
            Value::Array(
                items
                    .into_iter()
                    .map(|item| coerced_value(of, item))
                    .collect(),
            )
        }
        other => other,
    }
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    choices.as_array()
}

/// Returns the type names that `schema` accepts, or none if it does not restrict types.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn takes_text(schema: &Value) -> bool {
    if let Some(choices) = choices(schema) {
        return choices.iter().any(takes_text);
    }
    let types = types(schema);
    if types.is_empty() {
        let listed = schema.get("enum").and_then(Value::as_array);
        return listed.is_none_or(|listed| listed.iter().any(Value::is_string));
    }
    types.contains(&"string")
}

/// Parses `text` as JSON of a type that `schema` accepts.
fn read(schema: &Value, text: &str) -> Option<Value> {
    let text = text.trim();
    let value = serde_json::from_str(text).ok().or_else(|| {
        // Models also use Python's spelling.
        match text {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            _ => None,
        }
    })?;
    // Null stands for an omitted argument, whatever the type.
    if value.is_null() {
        return Some(value);
    }
    let is = |kind: &str| match kind {
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let any = |schema: &Value| types(schema).into_iter().any(is);
    let fits = choices(schema).map_or_else(|| any(schema), |choices| choices.iter().any(any));
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::tools;

    fn schema() -> Value {
        json!({ "type": "object", "properties": {
            "flag": { "type": "boolean" },
            "count": { "type": "integer" },
            "ratio": { "type": "number" },
            "paths": { "type": "array", "items": { "type": "string" } },
            "numbers": { "type": "array", "items": { "type": "integer" } },
            "map": { "type": "object", "properties": { "on": { "type": "boolean" } } },
            "text": { "type": "string" },
            "word": { "enum": ["1", "true"] },
            "either": { "type": ["string", "boolean"] },
            "any": {},
            "choice": { "anyOf": [{ "type": "integer" }, { "type": "array", "items": { "type": "string" } }] },
        } })
    }

    #[test]
    fn text_parses_if_schema_rejects_text() {
        for (name, given, wanted) in [
            ("flag", json!("true"), json!(true)),
            ("flag", json!(" False "), json!(false)),
            ("flag", json!("yes"), json!("yes")),
            ("flag", json!("null"), json!(null)),
            ("count", json!("3"), json!(3)),
            ("count", json!("3.5"), json!("3.5")),
            ("count", json!("[3]"), json!("[3]")),
            ("ratio", json!("0.5"), json!(0.5)),
            ("paths", json!("[\"a\", \"1\"]"), json!(["a", "1"])),
            ("paths", json!("src"), json!("src")),
            ("paths", json!(["true"]), json!(["true"])),
            ("numbers", json!(["1", "2"]), json!([1, 2])),
            ("map", json!("{\"on\": \"true\"}"), json!({ "on": true })),
            ("text", json!("true"), json!("true")),
            ("word", json!("1"), json!("1")),
            ("either", json!("true"), json!("true")),
            ("any", json!("[1]"), json!("[1]")),
            ("choice", json!("4"), json!(4)),
            ("choice", json!("[\"x\"]"), json!(["x"])),
            ("other", json!("true"), json!("true")),
        ] {
            let arguments = Map::from_iter([(name.to_owned(), given.clone())]);
            let found = coerced(&schema(), arguments);
            assert_eq!(found[name], wanted, "{name}: {given}");
        }
    }

    /// Converts everything but strings to strings, imitating clients that quote all values.
    fn as_texts(arguments: &Map<String, Value>) -> Map<String, Value> {
        let text = |value: &Value| match value {
            Value::String(_) => value.clone(),
            other => Value::String(other.to_string()),
        };
        let fields = arguments.iter();
        fields
            .map(|(name, value)| (name.clone(), text(value)))
            .collect()
    }

    #[test]
    fn stringified_arguments_round_trip() {
        for arguments in [
            json!({ "flag": true, "count": 0, "ratio": 7, "paths": [], "numbers": [1, 2] }),
            json!({ "paths": ["1", "[", "\"", "true"], "map": { "on": false }, "choice": ["4"] }),
        ] {
            let arguments = arguments.as_object().unwrap();
            assert_eq!(&coerced(&schema(), as_texts(arguments)), arguments);
            assert_eq!(&coerced(&schema(), arguments.clone()), arguments);
        }
    }

    #[test]
    fn text_argument_stays_text() {
        for tool in tools(false) {
            let schema = tool.schema(false);
            for (name, field) in schema["properties"].as_object().unwrap() {
                if field["type"] != "string" {
                    continue;
                }
                for text in ["true", "3", "[]", "{}", "null"] {
                    let given = Map::from_iter([(name.clone(), json!(text))]);
                    assert_eq!(coerced(&schema, given)[name], text, "{}: {name}", tool.name);
                }
            }
        }
    }
}
