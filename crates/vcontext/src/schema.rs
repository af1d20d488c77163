//! JSON Schemas of the documents, from the same tables as the checks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::specification::HEADERS;
use crate::time::DATE_TIME;
use crate::{Container, Kind, Shape, VERSION};

/// Base URL of the specification's schemas, which these replace with the same or stricter rules.
const HOME: &str = "https://vcontext.dev/schemas";

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the JSON Schema of a document.
#[must_use]
pub fn document_schema() -> Value {
    let mut shapes = BTreeMap::new();
    collect(Shape::of_info(), &mut shapes);
    let mut properties = Map::new();
    properties.insert("vContextInfo".to_owned(), reference(&Shape::of_info().name));
    // Header names of later versions.
    for name in HEADERS.into_iter().skip(1) {
        properties.insert(name.to_owned(), json!(false));
    }
    let mut one_of = Vec::new();
    for container in Container::ALL {
        collect(container.shape(), &mut shapes);
        properties.insert(
            container.field().to_owned(),
            reference(&container.shape().name),
        );
        one_of.push(json!({ "required": [container.field()] }));
    }
    let mut definitions = definitions(&shapes);
    definitions["VContextInfo"]["properties"]["version"] =
        json!({ "description": "The version of the specification.", "const": VERSION });
    json!({
        "$schema": DIALECT,
        "$id": format!("{HOME}/vcontext-core.schema.json"),
        "title": "vContext document",
        "description": "A TodoList, a Plan or a Playbook, by version 0.4 of the vContext specification with its common \
                        extensions 1 to 12. Fields that are not named here are allowed, and kept.",
        "type": "object",
        "required": ["vContextInfo"],
        "properties": properties,
        "oneOf": one_of,
        "$defs": definitions,
    })
}

/// Returns the JSON Schema of a playbook, alone or inside of a TodoList or Plan.
#[must_use]
pub fn playbook_schema() -> Value {
    let mut shapes = BTreeMap::new();
    collect(Container::Playbook.shape(), &mut shapes);
    json!({
        "$schema": DIALECT,
        "$id": format!("{HOME}/vcontext-extension-playbooks.schema.json"),
        "title": "vContext playbook",
        "description": "What was learned over time, as a log of events that only grows.",
        "$ref": format!("#/$defs/{}", Container::Playbook.shape().name),
        "$defs": definitions(&shapes),
    })
}

fn collect(shape: &'static Shape, all: &mut BTreeMap<&'static str, &'static Shape>) {
    if all.insert(&shape.name, shape).is_some() {
        return;
    }
    for field in &shape.fields {
        let mut kind = &field.kind;
        while let Kind::List(inner) = kind {
            kind = inner;
        }
        if let Kind::Entity(inner) = kind {
            collect(Shape::of(inner), all);
        }
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn definitions(shapes: &BTreeMap<&'static str, &'static Shape>) -> Value {
    let each = shapes
        .iter()
        .map(|(name, shape)| ((*name).to_owned(), entity(shape)));
    Value::Object(each.collect())
}

fn entity(shape: &Shape) -> Value {
    let mut properties = Map::new();
    for field in &shape.fields {
        let mut schema = kind(&field.kind);
        if let Value::Object(fields) = &mut schema {
            fields.insert("description".to_owned(), field.about.as_str().into());
        }
        properties.insert(field.name.clone(), schema);
    }
    let required = shape.fields.iter().filter(|field| field.is_required);
    let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    let mut schema = json!({
        "description": shape.about,
        "type": "object",
        "properties": properties,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if shape.is_closed {
        schema["additionalProperties"] = json!(false);
    }
    if shape.name == "PlaybookItem" {
        schema["properties"]["narrative"]["minProperties"] = json!(1);
        schema["allOf"] = event_rules();
    }
    if shape.name == "Location" {
        schema["properties"]["geo"]["minItems"] = json!(2);
        schema["properties"]["geo"]["maxItems"] = json!(2);
        schema["properties"]["geo"]["prefixItems"] = json!([
            { "minimum": -90, "maximum": 90 },
            { "minimum": -180, "maximum": 180 },
        ]);
    }
    schema
}

/// Returns the conditional rules for the fields of an event.
fn event_rules() -> Value {
    let when = |words: [&str; 2]| json!({ "properties": { "operation": { "enum": words } }, "required": ["operation"] });
    json!([
        {
            "if": when(["initial", "append"]),
            "then": {
                "required": ["kind", "narrative"],
                "properties": { "prevEventId": false },
            },
        },
        { "if": when(["update", "deprecate"]), "then": { "required": ["prevEventId"] } },
    ])
}

fn kind(of: &Kind) -> Value {
    match of {
        Kind::Any => json!({}),
        Kind::Text | Kind::TimeZone | Kind::Duration => json!({ "type": "string" }),
        Kind::Name => json!({ "type": "string", "minLength": 1 }),
        Kind::Uri => json!({
            "type": "string",
            "format": "uri",
            "pattern": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$",
        }),
        Kind::DateTime => json!({
            "type": "string",
            "format": "date-time",
            "pattern": DATE_TIME,
        }),
        Kind::Whole { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        Kind::Number { min, .. } if *min == f64::MIN => json!({ "type": "number" }),
        Kind::Number { min, max } => {
            json!({ "type": "number", "minimum": bound(*min), "maximum": bound(*max) })
        }
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::List(inner) => json!({ "type": "array", "items": kind(inner) }),
        Kind::Texts => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Open => json!({ "type": "object" }),
        Kind::Entity(name) => reference(name),
    }
}

/// Formats a bound without a zero fraction: `100`, not `100.0`.
fn bound(bound: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "bounds are small")]
    let whole = bound as i64;
    if bound.fract() == 0.0 {
        json!(whole)
    } else {
        json!(bound)
    }
}
