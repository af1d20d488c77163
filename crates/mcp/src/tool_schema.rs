//! Builders for argument schemas. Every client reads all schemas in every session, so they use few
//! words. They contain no references, because many clients ignore those. Results have no schemas,
//! since their text says as much and costs nothing until a call.

use serde_json::{Map, Value, json};

/// Fields with their schemas.
pub(crate) type Fields<'a> = &'a [(&'a str, Value)];

/// Returns an object schema with `fields` and the common arguments for repository and limits.
pub(crate) fn arguments(fields: Fields<'_>, required: &[&str]) -> Value {
    let common = [
        ("root", json!({ "type": "string" })),
        ("max_chars", json!({ "type": "integer" })),
        ("max_tokens", json!({ "type": "integer" })),
    ];
    let mut schema = object(&[fields, &common].concat(), required);
    schema["additionalProperties"] = json!(false);
    schema
}

/// Returns a schema like [`arguments`] for a tool that reads and writes. On a read-only server, it
/// leaves out fields for writing.
pub(crate) fn arguments_for(
    only_reading: bool,
    reading: Fields<'_>,
    writing: Fields<'_>,
    required: &[&str],
) -> Value {
    let writing = if only_reading { &[][..] } else { writing };
    arguments(&[reading, writing].concat(), required)
}

/// Returns an open object schema with `fields`.
pub(crate) fn object(fields: Fields<'_>, required: &[&str]) -> Value {
    let fields = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    let fields: Map<String, Value> = fields.collect();
    let mut schema = json!({ "type": "object", "properties": fields });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns the schema of a string.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// Returns a string schema with a description.
pub(crate) fn text_for(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

/// Returns the schema of a list of strings.
pub(crate) fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

/// Returns the schema of a list of strings, with a description.
pub(crate) fn texts_for(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": about })
}

/// Returns the schema of an enumeration of `words`.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Returns the schema of a boolean.
pub(crate) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// Returns a boolean schema that describes the meaning of `true`.
pub(crate) fn flag_for(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

/// Returns the schema of a non-negative integer.
pub(crate) fn number() -> Value {
    json!({ "type": "integer" })
}

/// Returns the schema of a positive integer.
pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// Returns the schema of an arbitrary object.
pub(crate) fn map() -> Value {
    json!({ "type": "object" })
}
