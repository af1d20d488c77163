//! Generates the JSON Schemas for the documents of each version from the tables that the checks
//! use.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::specification::HEADERS;
use crate::time::{DATE, DATE_TIME};
use crate::{Container, Kind, Shape, Version};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the JSON Schema for the documents of one version.
#[must_use]
pub fn document_schema(version: &'static Version) -> Value {
    let of = Of(version);
    let header = version.header();
    let mut shapes = BTreeMap::new();
    of.collect(Shape::of_info(), &mut shapes);
    let mut properties = Map::new();
    properties.insert(header.to_owned(), reference(&Shape::of_info().name));
    // These are the header's names in other versions.
    for name in HEADERS.into_iter().filter(|name| *name != header) {
        properties.insert(name.to_owned(), json!(false));
    }
    let mut one_of = Vec::new();
    for container in version.containers() {
        of.collect(version.shape(container.entity()), &mut shapes);
        properties.insert(container.field().to_owned(), reference(container.entity()));
        one_of.push(json!({ "required": [container.field()] }));
    }
    let mut definitions = of.definitions(&shapes);
    definitions["VContextInfo"]["properties"]["version"] =
        json!({ "description": "The version of the specification.", "const": version.number() });
    let schema = &version.schema;
    let filled = |text: &str| text.replace("{version}", version.number());
    json!({
        "$schema": DIALECT,
        "$id": filled(&schema.id),
        "title": schema.title,
        "description": filled(&schema.about),
        "type": "object",
        "required": [header],
        "properties": properties,
        "oneOf": one_of,
        "$defs": definitions,
    })
}

/// Returns the JSON Schema for a playbook, on its own or inside of a TodoList or Plan.
#[must_use]
pub fn playbook_schema() -> Value {
    let of = Of(Version::first());
    let mut shapes = BTreeMap::new();
    of.collect(Container::Playbook.shape(), &mut shapes);
    json!({
        "$schema": DIALECT,
        "$id": "https://vcontext.dev/schemas/vcontext-extension-playbooks.schema.json",
        "title": "vContext playbook",
        "description": "What was learned over time, as a log of events that only grows.",
        "$ref": format!("#/$defs/{}", Container::Playbook.shape().name),
        "$defs": of.definitions(&shapes),
    })
}

#[derive(Clone, Copy)]
struct Of(&'static Version);

impl Of {
    fn collect(self, shape: &'static Shape, all: &mut BTreeMap<&'static str, &'static Shape>) {
        if all.insert(&shape.name, shape).is_some() {
            return;
        }
        for field in &shape.fields {
            let mut kind = &field.kind;
            while let Kind::List(inner) = kind {
                kind = inner;
            }
            if let Kind::Entity(inner) = kind {
                self.collect(self.0.shape(inner), all);
            }
        }
    }

    fn definitions(self, shapes: &BTreeMap<&'static str, &'static Shape>) -> Value {
        let each = shapes
            .iter()
            .map(|(name, shape)| ((*name).to_owned(), self.entity(shape)));
        Value::Object(each.collect())
    }

    fn entity(self, shape: &Shape) -> Value {
        let mut properties = Map::new();
        for field in &shape.fields {
            let mut schema = self.kind(&field.kind);
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

    fn kind(self, of: &Kind) -> Value {
        match of {
            Kind::Any => json!({}),
            Kind::Text | Kind::TimeZone | Kind::Duration => json!({ "type": "string" }),
            Kind::Name => json!({ "type": "string", "minLength": 1 }),
            Kind::Uri => json!({
                "type": "string",
                "format": "uri",
                "pattern": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$",
            }),
            Kind::DateTime if self.0.dates => json!({
                "type": "string",
                "pattern": format!("{DATE}|{DATE_TIME}"),
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
            Kind::List(inner) => json!({ "type": "array", "items": self.kind(inner) }),
            Kind::Texts => {
                json!({ "type": "object", "additionalProperties": { "type": "string" } })
            }
            Kind::Open => json!({ "type": "object" }),
            Kind::Entity(name) => reference(name),
        }
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

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

/// Formats a bound as `100` rather than `100.0`.
fn bound(bound: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "bounds are small")]
    let whole = bound as i64;
    if bound.fract() == 0.0 {
        json!(whole)
    } else {
        json!(bound)
    }
}
