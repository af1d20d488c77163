use serde_json::{Value, json};

use crate::bead::Bead;
use crate::event::{Event, event_types};
use crate::mail::Message;
use crate::molecule::MoleculeFile;
use crate::route::Route;

/// The JSON Schemas of all record types, by name. The descriptions in them are the doc comments of
/// the types.
#[must_use]
pub fn schemas() -> Vec<(String, Value)> {
    vec![
        ("bead".to_owned(), schemars::schema_for!(Bead).to_value()),
        ("event".to_owned(), event_schema()),
        (
            "message".to_owned(),
            schemars::schema_for!(Message).to_value(),
        ),
        (
            "molecule".to_owned(),
            schemars::schema_for!(MoleculeFile).to_value(),
        ),
        ("route".to_owned(), schemars::schema_for!(Route).to_value()),
    ]
}

/// Builds the schema of events. The event type determines the shape of `data`, which may be
/// anything if the type is unknown.
fn event_schema() -> Value {
    let mut schema = schemars::schema_for!(Event).to_value();
    let mut definitions = serde_json::Map::new();
    let mut cases = Vec::new();
    for (name, mut data) in event_types() {
        if let Some(fields) = data.as_object_mut() {
            fields.remove("$schema");
            // Schemas resolve references from the top level, so move the definitions there.
            if let Some(Value::Object(inner)) = fields.remove("$defs") {
                definitions.extend(inner);
            }
        }
        definitions.insert(name.to_owned(), data);
        cases.push(json!({
            "if": { "properties": { "event_type": { "const": name } } },
            "then": { "properties": { "data": { "$ref": format!("#/$defs/{name}") } } },
        }));
    }
    if let Some(fields) = schema.as_object_mut() {
        let known = fields.entry("$defs").or_insert_with(|| json!({}));
        if let Some(known) = known.as_object_mut() {
            known.extend(definitions);
        }
        fields.insert("allOf".to_owned(), cases.into());
    }
    schema
}
