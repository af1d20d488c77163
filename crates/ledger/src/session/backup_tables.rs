//! Tables that a `bd` backup has beside its records: dependencies, labels and comments, with one
//! row per line. We join them with the records before the import, which then doesn't have to know
//! about them.

use std::collections::BTreeMap;

use crate::bead::{dependency_kind, dependency_target};
use crate::event::Fields;
use serde_json::Value;

use super::ImportReport;

pub(super) const TABLES: [&str; 3] = ["dependencies.jsonl", "labels.jsonl", "comments.jsonl"];

/// Indices of the records by id.
type Places = BTreeMap<String, usize>;

/// Adds the table rows to the records they belong to. Dependencies that are in the wrong record are
/// added to the right one as well.
pub(super) fn join(
    records: &mut [(String, Fields)],
    tables: &[(String, String)],
    report: &mut ImportReport,
) {
    let ids = records.iter().map(|(id, _)| id.clone());
    let places: Places = ids.zip(0..).collect();
    for (place, row) in strayed(records) {
        if let Err(why) = put(records, &places, "dependencies", row) {
            report.skipped.push(format!("{place}: {why}"));
        }
    }
    for (path, text) in tables {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let field = name.trim_end_matches(".jsonl");
        let lines = (1..).zip(text.lines());
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let row = match serde_json::from_str(line) {
                Ok(Value::Object(row)) => Ok(row),
                Ok(_) => Err("expected a JSON object".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(why) = row.and_then(|row| put(records, &places, field, row)) {
                report.skipped.push(format!("{path}:{number}: {why}"));
            }
        }
    }
}

/// Adds a row to the record that it names as its owner.
fn put(
    records: &mut [(String, Fields)],
    places: &Places,
    field: &str,
    row: Fields,
) -> Result<(), String> {
    let owner = row.get("issue_id").and_then(Value::as_str);
    let owner = owner.unwrap_or_default().to_owned();
    let at = places.get(&owner).and_then(|at| records.get_mut(*at));
    let (_, record) = at.ok_or_else(|| format!("no record `{owner}` in the backup"))?;
    let value = match field {
        "labels" => row.get("label").cloned().unwrap_or_default(),
        _ => Value::Object(row),
    };
    add(record, field, value)
}

/// Finds dependencies that name a different owner than the record they're in. Each comes with the
/// id of that record.
fn strayed(records: &[(String, Fields)]) -> Vec<(String, Fields)> {
    let mut found = Vec::new();
    for (id, record) in records {
        let list = record.get("dependencies").and_then(Value::as_array);
        for row in list.into_iter().flatten().filter_map(Value::as_object) {
            let of = row.get("issue_id").and_then(Value::as_str);
            if of.is_some_and(|of| !of.is_empty() && of != id) {
                found.push((format!("`{id}`"), row.clone()));
            }
        }
    }
    found
}

/// Adds a value to a list in `record`, unless the list has it. A backup may have the same value in
/// a record and in a table.
fn add(record: &mut Fields, field: &str, value: Value) -> Result<(), String> {
    let list = record
        .entry(field)
        .and_modify(|list| {
            if list.is_null() {
                *list = Value::Array(Vec::new());
            }
        })
        .or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(list) = list else {
        return Err(format!("`{field}` of its record is not a list"));
    };
    if !list.iter().any(|known| is_same(field, known, &value)) {
        list.push(value);
    }
    Ok(())
}

fn is_same(field: &str, one: &Value, other: &Value) -> bool {
    let (Value::Object(a), Value::Object(b)) = (one, other) else {
        return one == other;
    };
    match field {
        "dependencies" => {
            dependency_target(a) == dependency_target(b) && dependency_kind(a) == dependency_kind(b)
        }
        _ => a.get("id").is_some_and(|id| b.get("id") == Some(id)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn backup_rows_join_their_records() {
        let record = |value: Value| value.as_object().cloned().unwrap();
        let mut records = vec![
            ("a".to_owned(), record(json!({ "id": "a", "labels": null }))),
            (
                "b".to_owned(),
                record(json!({ "id": "b", "dependencies": [
                    { "issue_id": "b", "depends_on_id": "a", "type": "blocks" },
                    { "issue_id": "a", "depends_on_id": "c", "type": "related" } ] })),
            ),
        ];
        let tables = [
            (
                "backup/dependencies.jsonl",
                "{\"issue_id\":\"b\",\"depends_on_issue_id\":\"a\",\"type\":\"blocks\"}\n\
                 {\"issue_id\":\"x\",\"depends_on_id\":\"a\"}\nnonsense\n",
            ),
            (
                "backup/labels.jsonl",
                "{\"issue_id\":\"a\",\"label\":\"l\"}\n\n",
            ),
            (
                "comments.jsonl",
                "{\"id\":1,\"issue_id\":\"b\",\"text\":\"hi\"}\n{\"id\":1,\"issue_id\":\"b\",\"text\":\"hi\"}\n",
            ),
        ];
        let tables = tables.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let mut report = ImportReport::default();
        join(&mut records, &tables, &mut report);
        assert_eq!(records[0].1["labels"], json!(["l"]));
        let strayed = json!([{ "issue_id": "a", "depends_on_id": "c", "type": "related" }]);
        assert_eq!(records[0].1["dependencies"], strayed);
        // The row in the table is the same dependency under another field name, so there's no third
        // one.
        assert_eq!(records[1].1["dependencies"].as_array().unwrap().len(), 2);
        let comments = json!([{ "id": 1, "issue_id": "b", "text": "hi" }]);
        assert_eq!(records[1].1["comments"], comments);
        assert_eq!(report.skipped.len(), 2, "{:?}", report.skipped);
        assert!(report.skipped[0].starts_with("backup/dependencies.jsonl:2: no record `x`"));
    }
}
