//! Schemas of arguments and of what comes of them, in few words: every client reads all of them in every session. They
//! refer to nothing, since many clients pass over what does.

use serde_json::{Map, Value, json};

/// Fields with their schemas.
pub(crate) type Fields<'a> = &'a [(&'a str, Value)];

/// An object with `fields`, and what every call may say: which repository it is about, and how much it may print.
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

/// As [`arguments`], of a tool that both reads and writes: those that only writing takes are left out where nothing may be
/// written.
pub(crate) fn arguments_for(
    only_reading: bool,
    reading: Fields<'_>,
    writing: Fields<'_>,
    required: &[&str],
) -> Value {
    let writing = if only_reading { &[][..] } else { writing };
    arguments(&[reading, writing].concat(), required)
}

/// An object with `fields`, and whatever else.
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

/// A text.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// A text, and what it means.
pub(crate) fn text_for(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

/// A list of texts.
pub(crate) fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

/// A list of texts, and what it means.
pub(crate) fn texts_for(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": about })
}

/// One of some words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Yes or no.
pub(crate) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// Yes or no, and what yes means.
pub(crate) fn flag_for(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

/// A whole number from 0.
pub(crate) fn number() -> Value {
    json!({ "type": "integer" })
}

/// How many, where none is no number of them.
pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// A list of anything.
pub(crate) fn list() -> Value {
    json!({ "type": "array" })
}

/// An object of anything.
pub(crate) fn map() -> Value {
    json!({ "type": "object" })
}

/// An object with `fields`, as far as they are there, and more: what failed has an `error` in their place, and clients
/// hold that against the schema as well.
pub(crate) fn gives(fields: Fields<'_>) -> Value {
    object(fields, &[])
}
