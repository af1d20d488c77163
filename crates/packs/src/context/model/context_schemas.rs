//! JSON Schemas of the types in this module.

use serde_json::Value;

use crate::context::{ContextPack, EdgePayload};

/// Returns the JSON Schemas of context packs and edge payloads, by name.
#[must_use]
pub fn schemas() -> Vec<(String, Value)> {
    vec![
        (
            "context-pack".to_owned(),
            schemars::schema_for!(ContextPack).to_value(),
        ),
        (
            "edge-payload".to_owned(),
            schemars::schema_for!(EdgePayload).to_value(),
        ),
    ]
}
