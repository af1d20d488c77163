//! What a selected value is: a claim with evidence, or an observation.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{
    Entry, Evidence, Freshness, Item, Judgement, Observation, Pointer, Provenance, Repair,
};

/// Evidence as a step gives it: a pointer, and perhaps what became of it. The status is not taken over: it is
/// judged anew, whoever says it.
#[derive(Deserialize)]
struct Claimed {
    #[serde(flatten)]
    pointer: Pointer,
    #[serde(default)]
    repair: Option<Repair>,
}

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
    evidence: Vec<Claimed>,
}

/// `value` as an entry. An object with a list of pointers under `evidence` is an item, so is a bare pointer
/// with a hash; anything else is an observation. What a nested run observed keeps its provenance.
pub(crate) fn classify(value: &Value, provenance: &Provenance, nested: bool) -> Entry {
    if nested && let Some(seen) = observed_inside(value, provenance) {
        return Entry::Observation(seen);
    }
    let item = as_item(value).or_else(|| as_pointer(value));
    item.map_or_else(
        || {
            Entry::Observation(Observation {
                provenance: provenance.clone(),
                value: value.clone(),
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
    })
}

fn as_item(value: &Value) -> Option<Item> {
    value
        .get("evidence")?
        .as_array()
        .filter(|list| !list.is_empty())?;
    let claimed = ClaimedItem::deserialize(value).ok()?;
    Some(Item {
        id: claimed.id,
        kind: claimed.kind,
        label: claimed.label.unwrap_or_default(),
        context: claimed.context,
        evidence: claimed.evidence.into_iter().map(unjudged).collect(),
    })
}

fn as_pointer(value: &Value) -> Option<Item> {
    let claimed = Claimed::deserialize(value)
        .ok()
        .filter(|claimed| claimed.pointer.source_hash.is_some())?;
    Some(Item {
        id: None,
        kind: None,
        label: String::new(),
        context: 0,
        evidence: vec![unjudged(claimed)],
    })
}

fn unjudged(claimed: Claimed) -> Evidence {
    let judgement = Judgement {
        repair: claimed.repair,
        ..Judgement::new(Freshness::Unknown, None)
    };
    Evidence {
        pointer: claimed.pointer,
        judgement,
        text: None,
        text_start_line: None,
        lines_cut: 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind_of(value: &Value) -> &'static str {
        let provenance = Provenance {
            step: "s".into(),
            uses: "k".into(),
            reproducible: true,
        };
        match classify(value, &provenance, false) {
            Entry::Item(_) => "item",
            Entry::Observation(_) => "observation",
        }
    }

    #[test]
    fn only_what_points_somewhere_is_an_item() {
        let hash = format!("sha256:{}", "0".repeat(64));
        assert_eq!(
            kind_of(&json!({"evidence": [{"file": "a", "start_line": 1, "end_line": 2}]})),
            "item"
        );
        assert_eq!(
            kind_of(&json!({"file": "a", "start_line": 1, "end_line": 2, "source_hash": hash})),
            "item"
        );
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
}
