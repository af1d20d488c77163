//! Imports records from other tools without losing a field.
//!
//! Our strict form cannot express every value. For example, beads here have no status `deferred`. A
//! record with that status becomes an `open` bead with the original value in `metadata.imported`,
//! and an export restores the original status unless the bead's has changed since.

use serde_json::{Map, Value};

use super::originals::{is_empty_value, is_ours, originals, stamp, text};
use super::{Bead, BeadStatus, IMPORTED, IssueType, MAX_TITLE, USUAL_PRIORITY, dependency_shapes};
use crate::event::{Fields, Outcome};
use crate::{Stamp, id};

/// Reasons why a record cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The record has no `id`, or one that is not a string.
    #[error("the record has no `id`")]
    NoId,
    /// The `id` is not allowed as a bead's, e.g. because it has a space.
    #[error("id `{id}` is invalid: {why}")]
    BadId {
        /// The record's id, as found.
        id: String,
        /// The rule that the id violates, for use in the message.
        why: &'static str,
    },
}

/// Fields that have a place in [`Bead`]. If the strict form cannot express a value, the original
/// goes to [`IMPORTED`]. When adding a field to [`Bead`], add it here as well.
const STRICT: [&str; 15] = [
    "title",
    "description",
    "status",
    "priority",
    "issue_type",
    "created_at",
    "updated_at",
    "created_by",
    "assignee",
    "dependencies",
    "labels",
    "metadata",
    "closed_at",
    "close_reason",
    "outcome",
];

/// Converts a record to a bead. Missing times become `now`, and a missing priority becomes
/// `missing_priority`, since each tool assumes a different one (see [`super::PEER_PRIORITY`]).
///
/// Unknown fields are copied. A known field that we cannot write unchanged, e.g. a foreign status,
/// a time with an offset or a title that is too long, keeps its original value in
/// `metadata.imported`. [`original_record`] is the inverse.
///
/// # Errors
/// Returns an error if the record has no valid id.
pub fn bead_of_record(
    record: &Fields,
    now: Stamp,
    missing_priority: u8,
) -> Result<Bead, ImportError> {
    let id = text(record, "id").ok_or(ImportError::NoId)?;
    if let Some(why) = id::bead_id_problem(id) {
        return Err(ImportError::BadId {
            id: id.to_owned(),
            why,
        });
    }
    let created_at = stamp(record, "created_at");
    let created = created_at.unwrap_or(now);
    let mut metadata = record.get("metadata").and_then(Value::as_object).cloned();
    // Another tool may use the key `imported` for its own data. Mixing ours into it would break the
    // export, so set the original metadata aside as a whole.
    if let Some(own) = &mut metadata
        && own
            .get(IMPORTED)
            .is_some_and(|value| !is_ours(value, &STRICT))
    {
        own.shift_remove(IMPORTED);
    }
    let mut bead = Bead {
        id: id.to_owned(),
        title: short_title(text(record, "title").unwrap_or_default()),
        description: text(record, "description").unwrap_or_default().to_owned(),
        status: status(record),
        priority: priority(record.get("priority"), missing_priority),
        issue_type: issue_type(record),
        created_at: created,
        updated_at: stamp(record, "updated_at").unwrap_or(created),
        created_by: text(record, "created_by").unwrap_or("unknown").to_owned(),
        assignee: text(record, "assignee").map(str::to_owned),
        dependencies: dependency_shapes::dependencies(record, created),
        labels: labels(record),
        metadata: metadata.unwrap_or_default(),
        closed_at: stamp(record, "closed_at"),
        close_reason: text(record, "close_reason").map(str::to_owned),
        outcome: outcome(record),
        rest: record
            .iter()
            .filter(|(name, _)| *name != "id" && !STRICT.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    };
    let fresh = originals(&strict_form(&bead), record, &STRICT, |name, theirs| {
        // Each entry of the list keeps its own original values.
        name == "dependencies"
            && dependency_shapes::are_dependencies(theirs, text(record, "id").unwrap_or_default())
    });
    let known = bead.metadata.get(IMPORTED).and_then(Value::as_object);
    let mut imported = known.cloned().unwrap_or_default();
    imported.extend(fresh);
    if !imported.is_empty() {
        bead.metadata
            .insert(IMPORTED.to_owned(), Value::Object(imported));
    }
    Ok(bead)
}

/// Converts a bead back to a record, as the inverse of [`bead_of_record`]. Changes since the import
/// prevail over the original values.
#[must_use]
pub fn original_record(bead: &Bead) -> Fields {
    let mut record = strict_form(bead);
    let imported = record
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .and_then(|metadata| metadata.shift_remove(IMPORTED));
    if record.get("metadata").is_some_and(is_empty_value) {
        record.shift_remove("metadata");
    }
    for dependency in record
        .get_mut("dependencies")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Value::Object(dependency) = dependency {
            let imported = dependency.shift_remove(IMPORTED);
            restore(dependency, imported);
        }
    }
    restore(&mut record, imported);
    record
}

fn restore(record: &mut Fields, imported: Option<Value>) {
    let Some(Value::Object(imported)) = imported else {
        return;
    };
    for (name, value) in imported {
        match value {
            Value::Null => record.shift_remove(&name),
            value => record.insert(name, value),
        };
    }
}

fn strict_form(bead: &Bead) -> Fields {
    match serde_json::to_value(bead) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn short_title(title: &str) -> String {
    let line = title.replace(['\n', '\r'], " ");
    match line.char_indices().nth(MAX_TITLE) {
        None => line,
        Some(_) => line.chars().take(MAX_TITLE - 1).chain(['…']).collect(),
    }
}

fn status(record: &Fields) -> BeadStatus {
    match text(record, "status").unwrap_or_default() {
        "tombstone" | "done" | "completed" => BeadStatus::Closed,
        known => known.parse().unwrap_or(BeadStatus::Open),
    }
}

fn issue_type(record: &Fields) -> IssueType {
    let known = text(record, "issue_type").unwrap_or_default();
    known.parse().unwrap_or(IssueType::Task)
}

fn outcome(record: &Fields) -> Option<Outcome> {
    let found = record.get("outcome")?;
    serde_json::from_value(found.clone()).ok()
}

/// Parses a priority such as `2`, `2.0`, `"2"` or `"P2"`. Returns `missing` if there is no value,
/// and [`USUAL_PRIORITY`] if we do not understand it.
fn priority(value: Option<&Value>, missing: u8) -> u8 {
    let number = match value {
        None | Some(Value::Null) => return missing,
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim_start_matches(['P', 'p']).parse().ok(),
        _ => None,
    };
    (0..=super::MAX_PRIORITY)
        .find(|known| number == Some(f64::from(*known)))
        .unwrap_or(USUAL_PRIORITY)
}

fn labels(record: &Fields) -> Vec<String> {
    let list = record.get("labels").and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    let mut labels: Vec<String> = texts.map(str::to_owned).collect();
    labels.sort();
    labels.dedup();
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::PEER_PRIORITY;
    use super::*;

    fn record(value: &Value) -> Fields {
        value.as_object().unwrap().clone()
    }

    fn imported(value: &Value) -> Bead {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        bead_of_record(&record(value), now, PEER_PRIORITY).unwrap()
    }

    /// One record for each shape found in practice.
    fn shapes() -> Vec<Value> {
        vec![
            json!({ "id": "bd-1", "title": "plain", "status": "open", "priority": 1, "issue_type": "task",
                "created_at": "2025-10-14T01:02:03.123456-07:00", "updated_at": "2025-10-15T00:00:00Z",
                "design": "how", "notes": "x", "acceptance_criteria": "y", "external_ref": "gh-1",
                "comments": [{ "id": 1, "text": "hi" }], "estimated_minutes": 30 }),
            json!({ "id": "bd-2", "title": "gone", "status": "tombstone", "priority": 0, "issue_type": "chore",
                "deleted_at": "2025-10-15T00:00:00Z", "original_type": "bug", "labels": ["b", "a"] }),
            json!({ "id": "bd-3", "title": "x".repeat(300), "status": "deferred", "priority": 2.0,
                "issue_type": "molecule", "created_at": "2025-10-14T01:02:03.000Z", "updated_at": "nonsense",
                "created_by": "me", "assignee": null, "pinned": true, "defer_until": "2030-01-01T00:00:00Z",
                "dependencies": [
                    { "issue_id": "bd-3", "depends_on_id": "bd-gone", "type": "parent_child",
                      "created_at": "2025-10-14T01:02:03.9999-07:00", "created_by": "me", "metadata": "{}" },
                    { "issue_id": "bd-3", "depends_on_id": "external:x:y", "type": "discovered-from" } ] }),
            json!({ "id": "bd-4.1.2", "title": "two\nlines", "status": "closed", "close_reason": "failed: no",
                "closed_at": "2025-10-14T01:02:03+02:00", "metadata": { "a": { "b": [1, 2.5] } }, "ephemeral": true }),
            json!({ "id": "bd-5", "title": "odd", "status": 7, "priority": "P3", "issue_type": ["x"],
                "labels": "one", "dependencies": ["bd-1", 3], "metadata": "text", "description": { "x": 1 } }),
        ]
    }

    fn check_restored(bead: &Bead, shape: &Value) {
        fn filled(fields: Fields) -> Fields {
            let some = fields
                .into_iter()
                .filter(|(_, value)| !is_empty_value(value));
            let of_dependency = |(name, value): (String, Value)| match value {
                Value::Array(list) if name == "dependencies" => {
                    let one = |one| match one {
                        Value::Object(one) => Value::Object(filled(one)),
                        other => other,
                    };
                    (name, list.into_iter().map(one).collect())
                }
                value => (name, value),
            };
            some.map(of_dependency).collect()
        }
        assert_eq!(filled(original_record(bead)), filled(record(shape)));
    }

    #[test]
    fn import_known_shape_round_trips() {
        for shape in shapes() {
            check_restored(&imported(&shape), &shape);
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let moment = prop_oneof![
            Just("2025-10-14T01:02:03.123456-07:00"),
            Just("2025-10-14T01:02:03.000Z"),
            Just("2025-10-14 01:02:03"),
            Just("soon"),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2..9_i64).prop_map(Value::from),
            Just(json!(2.0)),
            moment.prop_map(Value::from),
            "[a-cP0-9 \n-]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            let name = prop_oneof![
                "[a-c]",
                Just("imported".to_owned()),
                Just("title".to_owned())
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..3)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn dependency_list() -> impl Strategy<Value = Value> {
        let one = ("[a-c]", "[a-c]", value(), value()).prop_map(|(on, kind, at, more)| {
            prop_oneof![
                Just(json!({ "issue_id": "p-1", "depends_on_id": on, "type": kind, "created_at": at, "thread_id": more })),
                Just(json!({ "id": on, "type": kind })),
                Just(json!({ "id": on, "title": "x", "dependency_type": kind, "created_at": at })),
                Just(json!({ "issue_id": "p-1", "depends_on_issue_id": on, "type": kind, "metadata": more })),
                Just(json!(on)),
                Just(more),
            ]
        });
        prop::collection::vec(one.prop_flat_map(|one| one), 0..3).prop_map(Value::from)
    }

    proptest! {
        #[test]
        fn import_any_record_round_trips(
            fields in prop::collection::btree_map(
                prop_oneof![
                    prop::sample::select(&STRICT[..]).prop_map(str::to_owned),
                    Just("comments".to_owned()),
                    "[a-d_]{1,4}",
                ],
                value(),
                0..8,
            ),
            dependencies in prop::option::of(dependency_list()),
        ) {
            let mut shape: Fields = fields.into_iter().filter(|(name, _)| !shadowed(name)).collect();
            shape.insert("id".to_owned(), "p-1".into());
            if let Some(dependencies) = dependencies {
                shape.insert("dependencies".to_owned(), dependencies);
            }
            // Metadata written by Windlass already holds the original values, so it wouldn't
            // round-trip as foreign data.
            let is_own = shape.get("metadata").and_then(|own| own.get(IMPORTED));
            prop_assume!(!is_own.is_some_and(|own| is_ours(own, &STRICT)));
            let shape = Value::Object(shape);
            let bead = imported(&shape);
            check_restored(&bead, &shape);
            // A second round trip must not change the result.
            let again: Bead = serde_json::from_value(serde_json::to_value(&bead).unwrap()).unwrap();
            check_restored(&again, &shape);
        }
    }

    /// Names that mean something else if they are next to the fields we read.
    fn shadowed(name: &str) -> bool {
        ["id", "depends_on"].contains(&name)
    }

    #[test]
    fn import_no_priority_uses_tool_default() {
        for (shape, want) in [
            (json!({ "id": "a-1" }), PEER_PRIORITY),
            (json!({ "id": "a-1", "priority": null }), PEER_PRIORITY),
            (json!({ "id": "a-1", "priority": 0 }), 0),
            (json!({ "id": "a-1", "priority": "P3" }), 3),
            (json!({ "id": "a-1", "priority": "high" }), USUAL_PRIORITY),
            (json!({ "id": "a-1", "priority": 9 }), USUAL_PRIORITY),
        ] {
            assert_eq!(imported(&shape).priority, want, "{shape}");
        }
        let ours = bead_of_record(&record(&json!({ "id": "a-1" })), Stamp::default(), 2);
        assert_eq!(ours.unwrap().priority, 2);
    }

    #[test]
    fn import_written_bead_strict_and_stable() {
        let schema = schemars::schema_for!(Bead).to_value();
        let schema = jsonschema::validator_for(&schema).unwrap();
        for shape in shapes() {
            let bead = imported(&shape);
            let written = serde_json::to_value(&bead).unwrap();
            assert!(schema.is_valid(&written), "{written}");
            assert!(bead.title.chars().count() <= MAX_TITLE && !bead.title.contains('\n'));
            let again: Bead = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(again, bead);
            assert_eq!(serde_json::to_string(&again).unwrap(), written.to_string());
        }
    }

    #[test]
    fn import_foreign_values_mapped() {
        let bead = |at: usize| imported(&shapes()[at]);
        assert_eq!(bead(1).status, BeadStatus::Closed);
        assert_eq!(bead(1).foreign_status(), Some("tombstone"));
        assert_eq!(bead(1).foreign_type(), Some("chore"));
        assert_eq!(
            (bead(2).status, bead(2).foreign_status()),
            (BeadStatus::Open, Some("deferred"))
        );
        assert_eq!(bead(2).full_title().len(), 300);
        assert_eq!(bead(2).parent(), Some("bd-gone"));
        assert_eq!(bead(3).ending(), Some(Outcome::Failed));
        assert_eq!((bead(4).priority, bead(4).dependencies.len()), (3, 1));
        for bad in [json!({ "title": "x" }), json!({ "id": "a/../b" })] {
            assert!(bead_of_record(&record(&bad), Stamp::default(), 2).is_err());
        }
    }
}
