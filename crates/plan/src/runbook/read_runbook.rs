//! Converts a [`Document`] to a [`Runbook`], and reports all format errors.
//!
//! Serde would stop at the first error, so we check the document against the schema first. Invalid
//! parts are reported and removed, and what's left can still be resolved. The author therefore sees
//! its errors in the same pass.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_base::{Diagnostic, Diagnostics, Place};

use crate::document::{Document, Node};
use crate::schema::{MAX_MISMATCHES, Mismatch, Schema};
use crate::{Findings, Runbook};

static SCHEMA: LazyLock<Value> = LazyLock::new(Runbook::json_schema);

/// Reads the runbook. Invalid parts are reported in `found` and removed.
///
/// # Errors
/// Returns an error if the document is not a runbook at all, declares a newer version, or still
/// cannot be read without the invalid parts.
pub(crate) fn read_runbook(
    document: &Document,
    found: &mut Findings,
) -> Result<Runbook, Diagnostics> {
    let root = document.root();
    let Some(fields) = root.value().as_object() else {
        return Err(
            Diagnostic::error("wrong-type", "a runbook is a mapping of fields")
                .at(root.place())
                .help("start it with `schema_version: 1`, `id: …` and `steps: …`")
                .into(),
        );
    };
    check_version(fields, root)?;
    let mismatches = Schema::new(&SCHEMA).check(root.value(), false, found.room());
    if mismatches.is_empty() {
        return Runbook::deserialize(root.value()).map_err(|error| unreadable(root, &error));
    }
    let all_known = mismatches.len() < MAX_MISMATCHES;
    let mut value = root.value().clone();
    // If there may be mismatches we don't know about, the rest can't be trusted.
    if all_known {
        leave_out(&mut value, &mismatches);
    }
    for mismatch in mismatches {
        match found.is_full() {
            true => found.count_error(),
            false => found.push(mismatch.into_finding(root)),
        }
    }
    if !all_known {
        found.stopped_early();
        return Err(std::mem::take(found).finish(Some(end_of(root))));
    }
    fill_in(&mut value);
    // Perhaps removing the invalid parts wasn't enough. We can't do more than return the findings
    // so far.
    Runbook::deserialize(&value).map_err(|_| std::mem::take(found).finish(Some(end_of(root))))
}

fn check_version(fields: &Map<String, Value>, root: Node<'_>) -> Result<(), Diagnostics> {
    let known = Runbook::SCHEMA_VERSION;
    let Some(version) = fields.get("schema_version") else {
        let mut start = root.place();
        start.range.end = start.range.start;
        return Err(
            Diagnostic::error("missing-version", "the field `schema_version` is missing")
                .at(start)
                .help(format!("add `schema_version: {known}` as the first line"))
                .into(),
        );
    };
    // Leave it to the schema to reject a version that isn't a number.
    if version.as_u64().is_none_or(|version| version <= known) {
        return Ok(());
    }
    let message = format!("this runbook has schema_version {version}; this program reads {known}");
    Err(Diagnostic::error("newer-version", message)
        .at(root.nearest(&["schema_version"]).place())
        .help("update windlass, or use the version of the file that fits this program")
        .into())
}

fn end_of(root: Node<'_>) -> Place {
    let mut end = root.place();
    end.range.start = end.range.end;
    end
}

/// Builds the error for a document that fits the schema, but not our types.
///
/// That would be a mistake in the schema.
fn unreadable(root: Node<'_>, error: &serde_json::Error) -> Diagnostics {
    Diagnostic::error("unreadable", format!("this is not a runbook: {error}"))
        .at(root.place())
        .into()
}

/// Makes the document readable by removing the smallest fields around the mismatches, e.g. the
/// `retry` of a step for a wrong number in it.
///
/// We remove all fields of a mapping in one pass. Since removing a field moves those after it, one
/// by one would take quadratic time.
fn leave_out(value: &mut Value, mismatches: &[Mismatch]) {
    let mut unfit: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for mismatch in mismatches {
        match mismatch.path.as_slice() {
            // An entry can't be removed, as it'd shift the indices of the others. `fill_in` makes
            // up for its required fields.
            [] => {}
            [list, entry] if is_list_of_entries(list) => {
                if let Some(entry) = entry_of(value, list, entry).filter(|entry| !entry.is_object())
                {
                    *entry = json!({});
                }
            }
            path => {
                let depth = match path {
                    [list, _, _, ..] if is_list_of_entries(list) => 2,
                    [policy, _, ..] if policy == "policy" => 1,
                    _ => 0,
                };
                if let Some(field) = path.get(depth) {
                    unfit.entry(&path[..depth]).or_default().insert(field);
                }
            }
        }
    }
    for (around, names) in unfit {
        let around = match around {
            [] => Some(&mut *value),
            [list, entry] => entry_of(value, list, entry),
            [field, ..] => value.get_mut(field),
        };
        if let Some(fields) = around.and_then(Value::as_object_mut) {
            fields.retain(|name, _| !names.contains(name.as_str()));
        }
    }
}

fn is_list_of_entries(field: &str) -> bool {
    matches!(field, "steps" | "finally" | "outputs" | "inputs")
}

fn entry_of<'a>(value: &'a mut Value, list: &str, entry: &str) -> Option<&'a mut Value> {
    match value.get_mut(list)? {
        Value::Array(items) => items.get_mut(entry.parse::<usize>().ok()?),
        fields => fields.get_mut(entry),
    }
}

/// Fills in missing required fields with empty values. The missing field has been reported, so the
/// resolver ignores such values.
fn fill_in(value: &mut Value) {
    let fill = |value: &mut Value, fields: &[(&str, Value)]| {
        let Some(entry) = value.as_object_mut() else {
            return;
        };
        for (name, empty) in fields {
            entry.entry(*name).or_insert_with(|| empty.clone());
        }
    };
    fill(
        value,
        &[
            ("schema_version", json!(1)),
            ("id", json!("")),
            ("steps", json!([])),
        ],
    );
    for (list, fields) in [
        ("steps", ["id", "uses"]),
        ("finally", ["id", "uses"]),
        ("outputs", ["id", "from"]),
    ] {
        let entries = value.get_mut(list).and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten() {
            fill(entry, &fields.map(|name| (name, json!(""))));
        }
    }
}
