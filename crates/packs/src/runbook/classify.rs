//! Decides which of a runbook's values are items with evidence. All others are observations.
//!
//! A step can return any JSON, so this goes by the shape of the value alone.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Entry, Item, Observation, Provenance};
use windlass_evidence::Claim;
use windlass_repo::Snapshot;

use crate::runbook::fields::fields;

/// An item as a step returns it. The step may claim that its evidence is fresh, but we ignore that
/// and verify the evidence ourselves.
#[derive(Deserialize)]
struct ClaimedItem {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    context: u32,
    #[serde(default)]
    fields_left_out: u32,
    evidence: Vec<Claim>,
}

/// Classifies `value`, and verifies its evidence.
///
/// It is an item if it is an object with a list of pointers in `evidence`, or a pointer with a
/// hash. Anything else is an observation. If `nested` is set, observations of nested runs keep
/// their provenance.
pub(crate) fn classify(
    value: &Value,
    provenance: &Provenance,
    nested: bool,
    snapshot: &Snapshot,
) -> Entry {
    if nested && let Some(seen) = observed_inside(value, provenance) {
        return Entry::Observation(seen);
    }
    let item = as_item(value, snapshot).or_else(|| as_pointer(value, snapshot));
    item.map_or_else(
        || {
            Entry::Observation(Observation {
                provenance: provenance.clone(),
                value: without_captures(value),
                parts_before: 0,
                parts_cut: 0,
                parts_after: 0,
            })
        },
        Entry::Item,
    )
}

fn observed_inside(value: &Value, outer: &Provenance) -> Option<Observation> {
    let Ok(Entry::Observation(seen)) = Entry::deserialize(value) else {
        return None;
    };
    let inner = seen.provenance;
    Some(Observation {
        provenance: Provenance {
            step: format!("{}/{}", outer.step, inner.step),
            uses: inner.uses,
            reproducible: inner.reproducible && outer.reproducible,
        },
        value: seen.value,
        parts_before: 0,
        parts_cut: 0,
        parts_after: 0,
    })
}

fn as_item(value: &Value, snapshot: &Snapshot) -> Option<Item> {
    value
        .get("evidence")?
        .as_array()
        .filter(|list| !list.is_empty())?;
    let claimed = ClaimedItem::deserialize(value).ok()?;
    let judged = claimed
        .evidence
        .into_iter()
        .map(|claim| claim.judged(snapshot));
    let (fields, left_out) = fields(value);
    Some(Item {
        id: claimed.id,
        kind: claimed.kind,
        label: claimed.label.unwrap_or_default(),
        fields,
        fields_left_out: left_out.saturating_add(claimed.fields_left_out),
        context: claimed.context,
        evidence: judged.collect(),
    })
}

fn as_pointer(value: &Value, snapshot: &Snapshot) -> Option<Item> {
    let claim = Claim::deserialize(value)
        .ok()
        .filter(|claim| claim.pointer.source_hash.is_some())?;
    let (fields, fields_left_out) = fields(value);
    Some(Item {
        id: None,
        kind: None,
        label: String::new(),
        fields,
        fields_left_out,
        context: 0,
        evidence: vec![claim.judged(snapshot)],
    })
}

/// Removes captures from all pointers. They are only needed to verify evidence, and can be large.
fn without_captures(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(without_captures).collect(),
        Value::Object(map) => {
            let is_pointer = map.contains_key("source_hash") && map.contains_key("start_line");
            map.iter()
                .filter(|(key, _)| !(is_pointer && *key == "capture"))
                .map(|(key, value)| (key.clone(), without_captures(value)))
                .collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classified(value: &Value) -> Entry {
        classified_in(value, false)
    }

    fn classified_in(value: &Value, nested: bool) -> Entry {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = windlass_repo::Repo::open(folder.path()).unwrap().snapshot();
        let provenance = Provenance {
            step: "s".into(),
            uses: "k".into(),
            reproducible: true,
        };
        classify(value, &provenance, nested, &snapshot)
    }

    fn kind_of(value: &Value) -> &'static str {
        match classified(value) {
            Entry::Item(_) => "item",
            Entry::Observation(_) => "observation",
        }
    }

    #[test]
    fn values_beside_evidence_become_fields() {
        let place = json!({"file": "a", "start_line": 1, "end_line": 2});
        let mut item = json!({"id": "x", "file": "a", "text": "a claim", "evidence": [place]});
        item["owners"] = json!(["b", "a"]);
        item["age"] = json!(3);
        let Entry::Item(found) = classified(&item) else {
            panic!("not an item");
        };
        assert_eq!(
            json!(found.fields).to_string(),
            r#"{"owners":["b","a"],"age":3}"#
        );
        // An item of a nested runbook is classified again by the outer one, and must keep its
        // fields.
        let Entry::Item(again) = classified_in(&json!(Entry::Item(found.clone())), true) else {
            panic!("not an item");
        };
        assert_eq!(again.fields, found.fields);
    }

    #[test]
    fn value_without_pointer_is_observation() {
        let hash = format!("sha256:{}", "0".repeat(64));
        assert_eq!(
            kind_of(&json!({"evidence": [{"file": "a", "start_line": 1, "end_line": 2}]})),
            "item"
        );
        assert_eq!(
            kind_of(&json!({"file": "a", "start_line": 1, "end_line": 2, "source_hash": hash})),
            "item"
        );
        // Without a hash, it's just a location that a step mentions.
        assert_eq!(
            kind_of(&json!({"file": "a", "start_line": 1, "end_line": 2})),
            "observation"
        );
        assert_eq!(kind_of(&json!({"evidence": []})), "observation");
        assert_eq!(
            kind_of(&json!({"evidence": [{"file": "../a", "start_line": 1, "end_line": 2}]})),
            "observation"
        );
        assert_eq!(kind_of(&json!("text")), "observation");
    }

    #[test]
    fn captured_context_stays_with_pointer() {
        let hash = format!("sha256:{}", "0".repeat(64));
        let capture = json!({"copies_in_file": 1, "line_ending": "lf"});
        let pointer = json!({"file": "a", "start_line": 1, "end_line": 2, "source_hash": hash, "capture": capture});
        let Entry::Item(item) = classified(&json!({"evidence": [pointer]})) else {
            panic!("a pointer makes an item");
        };
        assert_eq!(json!(item.evidence[0].capture), capture);

        let Entry::Observation(seen) = classified(&json!({"capture": 7, "of": [pointer]})) else {
            panic!("nothing here points anywhere");
        };
        let bare = json!({"file": "a", "start_line": 1, "end_line": 2, "source_hash": hash});
        assert_eq!(seen.value, json!({"capture": 7, "of": [bare]}));
    }
}
