//! Runbooks that use what is suggested.

use std::fmt::Write as _;

use windlass_base::Ident;

use super::{Proposed, Suggestion};
use crate::AnchorKind;

/// The parts of a runbook: an id, a title, and the kinds of anchors in it.
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

/// Runbooks over the suggested anchors; none that would show one part only.
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
    let mut steps = String::new();
    let mut outputs = String::new();
    let mut count = 0;
    for (part, heading, kinds) in parts {
        let ids: Vec<&str> = suggestions
            .iter()
            .filter_map(Suggestion::anchor)
            .filter(|anchor| kinds.contains(&anchor.kind))
            .map(|anchor| anchor.id.as_str())
            .collect();
        if ids.is_empty() {
            continue;
        }
        count += 1;
        let quoted: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
        // Writing to a String does not fail.
        let _ = write!(
            steps,
            "  - id: {part}\n    uses: anchors\n    with: {{ ids: [{}] }}\n",
            quoted.join(", ")
        );
        let _ = writeln!(
            outputs,
            "  - {{ id: {part}, title: {heading}, from: {part} }}"
        );
    }
    (count > 1).then_some(())?;
    let text = format!(
        "schema_version: 1\nid: {id}\ntitle: {title}\npurpose: {purpose}\npolicy:\n  budget: {{ max_chars: 12000 }}\n  \
         freshness: repair\nsteps:\n{steps}outputs:\n{outputs}"
    );
    Some(Suggestion {
        reason: format!(
            "shows the suggested anchors with their text: {}",
            purpose.trim_end_matches('.').to_lowercase()
        ),
        id: Ident::parse(id).ok()?,
        operation: Proposed::UpsertRunbook { runbook: text },
    })
}
