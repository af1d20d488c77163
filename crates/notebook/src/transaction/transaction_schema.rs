//! Transactions as a JSON Schema, for editors and for agents. What it takes, [`Transaction::read`] takes as well, and
//! the other way round, but for what only the reader can see: that a range of lines is one.
//!
//! [`Transaction::read`]: crate::Transaction::read

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use windlass_base::{Ident, RepoPath, SourceHash};

use super::{MAX_OPERATIONS, SCHEMA_VERSION};
use crate::{AnchorKind, Locator};

/// The JSON Schema of transactions.
#[must_use]
pub fn transaction_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut schema = |schema: &dyn Fn(&mut schemars::SchemaGenerator) -> schemars::Schema| {
        schema(&mut generator).to_value()
    };
    let id = schema(&|generator| generator.subschema_for::<Ident>());
    let kind = schema(&|generator| generator.subschema_for::<AnchorKind>());
    let locator = schema(&|generator| generator.subschema_for::<Locator>());
    let file = schema(&|generator| generator.subschema_for::<RepoPath>());
    let hash = schema(&|generator| generator.subschema_for::<SourceHash>());
    let mut locator = locator;
    locator["additionalProperties"] = json!(false);
    let texts =
        |what: &str| json!({ "type": "array", "items": { "type": "string" }, "description": what });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Transaction",
        "description": "What is to be done to a notebook, all or nothing: for `windlass notebook edit`.",
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "schema_version": {
                        "type": "integer", "minimum": 1, "maximum": SCHEMA_VERSION,
                        "description": "The version of this format: 1."
                    },
                    "if_revision": {
                        "type": "integer", "minimum": 0,
                        "description": "The revision that the notebook must be at."
                    },
                    "operations": { "$ref": "#/$defs/operations" }
                },
                "required": ["operations"],
                "additionalProperties": false
            },
            { "$ref": "#/$defs/operations" }
        ],
        "$defs": {
            "operations": {
                "type": "array",
                "items": { "$ref": "#/$defs/operation" },
                "maxItems": MAX_OPERATIONS,
                "description": "What to do, in order."
            },
            "operation": {
                "oneOf": [
                    operation("upsert_anchor", "Saves an anchor, or changes the one of its name.",
                        json!({ "anchor": { "$ref": "#/$defs/anchor" } }), &["anchor"]),
                    operation("delete_anchor", "Takes an anchor out.",
                        json!({ "id": { "type": "string", "description": "Its name." } }), &["id"]),
                    operation("upsert_runbook", "Saves a runbook, or puts it in the place of the one of its name.",
                        json!({ "runbook": {
                            "type": ["string", "object"],
                            "description": "The document: its text, or an object. Its name is the `id` in it."
                        } }), &["runbook"]),
                    operation("upsert_runbook", "The same, of a document in a file.",
                        json!({ "file": { "type": "string", "description": "The file, from where the command is called." } }),
                        &["file"]),
                    operation("delete_runbook", "Takes a runbook out.",
                        json!({ "id": { "type": "string", "description": "Its name." } }), &["id"])
                ]
            },
            "anchor": {
                "type": "object",
                "description": "What is not said stays as it was. A new anchor has to say where it is: `at`, or `evidence`.",
                "properties": {
                    "id": id,
                    "kind": kind,
                    "label": { "type": "string", "description": "What a person calls it." },
                    "at": {
                        "description": "Where it is grounded, from the root: `FILE:10`, `FILE:10-24`, `FILE#SYMBOL`.",
                        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
                    },
                    "evidence": {
                        "type": "array",
                        "items": { "$ref": "#/$defs/evidence" },
                        "description": "The same as pointers; what `anchor show --format json` prints of an anchor serves."
                    },
                    "locator": locator,
                    "zone": texts("Where to look for it later: globs."),
                    "tags": texts("Words to find it by.")
                },
                "required": ["id"],
                "additionalProperties": false
            },
            "evidence": {
                "type": "object",
                "properties": {
                    "file": file,
                    "start_line": { "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": "First line, from 1." },
                    "end_line": {
                        "type": "integer", "minimum": 1, "maximum": u32::MAX,
                        "description": "Last line, included; the first if not said."
                    },
                    "source_hash": hash,
                    "capture": { "description": "What was noted at an earlier capture; it is noted anew." }
                },
                "required": ["file", "start_line"],
                "additionalProperties": false
            }
        }
    })
}

fn operation(op: &str, what: &str, mut fields: Value, required: &[&str]) -> Value {
    fields["op"] = json!({ "const": op });
    let required: Vec<&str> = std::iter::once("op")
        .chain(required.iter().copied())
        .collect();
    json!({
        "type": "object",
        "description": what,
        "properties": fields,
        "required": required,
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transaction;

    #[test]
    fn what_the_schema_takes_the_reader_takes_and_the_other_way_round() {
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
