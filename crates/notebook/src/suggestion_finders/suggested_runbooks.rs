//! Suggested runbooks over the suggested anchors.

use serde_json::json;
use windlass_base::Ident;

use super::{Proposed, Suggestion};
use crate::AnchorKind;

/// Section of a runbook: id, title, and anchor kinds.
type Part = (&'static str, &'static str, &'static [AnchorKind]);

const ORIENTATION: [Part; 3] = [
    ("entrypoints", "Where it starts", &[AnchorKind::Entrypoint]),
    ("contracts", "What others rely on", &[AnchorKind::Contract]),
    (
        "ways",
        "How it is worked on",
        &[AnchorKind::Canon, AnchorKind::Zone],
    ),
];

const GATES: [Part; 2] = [
    ("gates", "What is checked", &[AnchorKind::Ci]),
    ("commands", "Build and test", &[AnchorKind::Canon]),
];

/// Builds runbooks over the suggested anchors; skips one with a single section.
pub(super) fn using(suggestions: &[Suggestion]) -> Vec<Suggestion> {
    let orientation = runbook(
        "orientation",
        "Orientation",
        "Where the program starts, what others rely on, and how it is worked on.",
        &ORIENTATION,
        suggestions,
    );
    let gates = runbook(
        "gates",
        "Gates",
        "What continuous integration checks, and the commands that build and test.",
        &GATES,
        suggestions,
    );
    orientation.into_iter().chain(gates).collect()
}

fn runbook(
    id: &str,
    title: &str,
    purpose: &str,
    parts: &[Part],
    suggestions: &[Suggestion],
) -> Option<Suggestion> {
    let (mut steps, mut outputs) = (Vec::new(), Vec::new());
    for (part, heading, kinds) in parts {
        let ids: Vec<&Ident> = suggestions
            .iter()
            .filter_map(Suggestion::anchor)
            .filter(|anchor| kinds.contains(&anchor.kind))
            .map(|anchor| &anchor.id)
            .collect();
        if ids.is_empty() {
            continue;
        }
        steps.push(json!({ "id": part, "uses": "anchors", "with": { "ids": ids } }));
        outputs.push(json!({ "id": part, "title": heading, "from": part }));
    }
    (steps.len() > 1).then_some(())?;
    let runbook = json!({
        "schema_version": 1,
        "id": id,
        "title": title,
        "purpose": purpose,
        "policy": { "budget": { "max_chars": 12000 }, "freshness": "repair" },
        "steps": steps,
        "outputs": outputs,
    });
    let text = serde_yaml::to_string(&runbook).ok()?;
    Some(Suggestion {
        reason: format!(
            "shows the suggested anchors with their text: {}",
            purpose.trim_end_matches('.').to_lowercase()
        ),
        id: Ident::parse(id).ok()?,
        operation: Proposed::UpsertRunbook { runbook: text },
    })
}
