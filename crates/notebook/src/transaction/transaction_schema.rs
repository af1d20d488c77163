//! JSON Schema of transactions, for editors and agents.
//!
//! The schema and [`Transaction::read`] must accept the same documents, so change both of them
//! together. There's one exception: only the reader checks that a range of lines is valid.
//!
//! [`Transaction::read`]: crate::Transaction::read

use serde_json::Value;

/// The JSON Schema, from `transaction.schema.json`.
#[must_use]
pub fn transaction_schema() -> Value {
    serde_json::from_str(include_str!("transaction.schema.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_base::{Ident, RepoPath, SourceHash};

    use super::*;
    use crate::transaction::{MAX_OPERATIONS, SCHEMA_VERSION};
    use crate::{AnchorKind, Locator, Transaction};

    #[test]
    fn schema_limits_equal_reader() {
        let settings = schemars::generate::SchemaSettings::draft2020_12();
        let settings = settings.with(|settings| settings.inline_subschemas = true);
        let mut generator = settings.into_generator();
        let mut locator = generator.subschema_for::<Locator>().to_value();
        locator["additionalProperties"] = json!(false);
        let schema = transaction_schema();
        for (pointer, wanted) in [
            (
                "/anyOf/0/properties/schema_version/maximum",
                json!(SCHEMA_VERSION),
            ),
            ("/$defs/operations/maxItems", json!(MAX_OPERATIONS)),
            (
                "/$defs/anchor/properties/id",
                generator.subschema_for::<Ident>().to_value(),
            ),
            (
                "/$defs/anchor/properties/kind",
                generator.subschema_for::<AnchorKind>().to_value(),
            ),
            ("/$defs/anchor/properties/locator", locator),
            (
                "/$defs/evidence/properties/file",
                generator.subschema_for::<RepoPath>().to_value(),
            ),
            (
                "/$defs/evidence/properties/source_hash",
                generator.subschema_for::<SourceHash>().to_value(),
            ),
        ] {
            assert_eq!(schema.pointer(pointer), Some(&wanted), "{pointer}");
        }
    }

    #[test]
    fn schema_and_reader_agree() {
        let schema = jsonschema::validator_for(&transaction_schema()).unwrap();
        let hash = "0".repeat(64);
        let hash = hash.as_str();
        let anchor = |anchor: Value| json!([{ "op": "upsert_anchor", "anchor": anchor }]);
        for (document, is_good) in [
            (json!([]), true),
            (
                json!({ "operations": [], "schema_version": 1, "if_revision": 0 }),
                true,
            ),
            (json!({ "operations": [], "schema_version": 2 }), false),
            (json!({ "operations": [], "if_revision": -1 }), false),
            (json!({ "operations": {}, }), false),
            (json!({ "oprations": [] }), false),
            (json!({}), false),
            (json!(7), false),
            (json!([{ "op": "delete_anchor", "id": "a" }]), true),
            (json!([{ "op": "delete_anchor" }]), false),
            (json!([{ "op": "delete_runbook", "id": 7 }]), false),
            (json!([{ "op": "drop", "id": "a" }]), false),
            (json!([{ "id": "a" }]), false),
            (json!([{ "op": "upsert_runbook", "runbook": "x" }]), true),
            (
                json!([{ "op": "upsert_runbook", "runbook": { "id": "x" } }]),
                true,
            ),
            (json!([{ "op": "upsert_runbook", "runbook": 7 }]), false),
            (json!([{ "op": "upsert_runbook", "file": "x.yaml" }]), true),
            (
                json!([{ "op": "upsert_runbook", "file": "x.yaml", "runbook": "x" }]),
                false,
            ),
            (json!([{ "op": "upsert_runbook" }]), false),
            (anchor(json!({ "id": "a" })), true),
            (
                anchor(
                    json!({ "id": "a", "at": "x:1", "kind": "ci", "label": "A", "zone": ["x/**"], "tags": [] }),
                ),
                true,
            ),
            (
                anchor(
                    json!({ "id": "a", "at": ["x:1", "y#z"], "locator": { "kind": "symbol", "value": "z" } }),
                ),
                true,
            ),
            (anchor(json!({ "id": "a", "at": [7] })), false),
            (anchor(json!({ "id": "-" })), false),
            (anchor(json!({ "id": "a", "kind": "contrakt" })), false),
            (anchor(json!({ "id": "a", "kind": null })), false),
            (anchor(json!({ "id": "a", "lable": "x" })), false),
            (anchor(json!({ "id": "a", "tags": "x" })), false),
            (
                anchor(json!({ "id": "a", "locator": { "kind": "symbol" } })),
                false,
            ),
            (
                anchor(json!({ "id": "a", "locator": { "kind": "other", "value": "x", "y": 1 } })),
                false,
            ),
            (
                anchor(
                    json!({ "id": "a", "evidence": [{ "file": "x", "start_line": 1, "source_hash": hash, "capture": {} }] }),
                ),
                true,
            ),
            (
                anchor(json!({ "id": "a", "evidence": [{ "file": "x", "start_line": 0 }] })),
                false,
            ),
            (
                anchor(json!({ "id": "a", "evidence": [{ "file": "x" }] })),
                false,
            ),
            (
                anchor(
                    json!({ "id": "a", "evidence": [{ "file": "x", "start_line": 1, "end_line": 2, "source_hash": "x" }] }),
                ),
                false,
            ),
            (anchor(json!({ "id": "a", "evidence": {} })), false),
        ] {
            let text = document.to_string();
            assert_eq!(schema.is_valid(&document), is_good, "the schema: {text}");
            let read = Transaction::read("t.json", text.as_bytes());
            assert_eq!(read.is_ok(), is_good, "the reader: {text}: {read:?}");
        }
    }
}
