//! What a change makes stale, as SARIF 2.1.0 (OASIS): what code hosts show beside the lines of a change.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass::base::{Digest, Judgement, Pointer, RepairOutcome, encode_hex};
use windlass::packs::Rank;
use windlass::{CitedLines, Impact, StaleEvidence, TouchedSection};

use crate::impact_text::{what, what_is_cited};

/// The rules, with what each says.
const RULES: [(&str, &str); 3] = [
    (
        "stale-anchor",
        "The text that an anchor points to no longer stands where it was captured.",
    ),
    (
        "stale-section",
        "A section of a runbook no longer shows what it did.",
    ),
    (
        "stale-citation",
        "A document cites lines that no longer hold what they did.",
    ),
];

/// The answer as a SARIF log with one run. Columns count Unicode characters; files are named from the root.
#[must_use]
pub fn impact_sarif(impact: &Impact) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }))
        .collect();
    let anchors = impact.anchors.iter().map(of_anchor);
    let sections = impact.stale_sections().map(of_section);
    // A document may cite the same lines more than once.
    let mut cited: BTreeMap<String, usize> = BTreeMap::new();
    let citations = impact.citations.iter().map(|citation| {
        let mark = format!("{} {}", citation.document, citation.citation);
        let nr = cited.entry(mark).or_default();
        *nr += 1;
        of_citation(citation, *nr)
    });
    let results: Vec<Value> = anchors.chain(citations).chain(sections).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "windlass",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn of_anchor(stale: &StaleEvidence) -> Value {
    let repair = stale.judgement.repair.as_ref();
    let level = level(&stale.judgement);
    // Where a reader can look at it: where it stands now, if that is known.
    let now = repair.and_then(|repair| repair.evidence.as_ref());
    let text = format!(
        "Anchor {} ({})",
        what(stale),
        Rank::of(&stale.judgement).word()
    );
    result(
        0,
        level,
        &text,
        &location(now.unwrap_or(&stale.pointer)),
        &format!("{} {}", stale.id, stale.pointer),
    )
}

/// What can be repaired without looking weighs less.
fn level(judgement: &Judgement) -> &'static str {
    match judgement.outcome() {
        Some(RepairOutcome::Moved) => "warning",
        _ => "error",
    }
}

/// `nr` counts those of one document that cite the same, from 1.
fn of_citation(cited: &CitedLines, nr: usize) -> Value {
    let text = format!(
        "{} ({})",
        what_is_cited(cited),
        Rank::of(&cited.judgement).word()
    );
    let place = json!([{ "physicalLocation": {
        "artifactLocation": artifact(cited.document.as_str()),
        "region": { "startLine": cited.document_line },
    } }]);
    let mut mark = format!("{} {}", cited.document, cited.citation);
    if nr > 1 {
        mark += &format!(" {nr}");
    }
    result(2, level(&cited.judgement), &text, &place, &mark)
}

fn of_section(section: &TouchedSection) -> Value {
    let text = format!(
        "Section {} of {}: {}",
        section.section,
        section.runbook,
        section.because.join("; ")
    );
    // What is kept in the notebook is in no file that anybody could be shown.
    let file = (!section.runbook.starts_with("notebook:")).then(
        || json!([{ "physicalLocation": { "artifactLocation": artifact(&section.runbook) } }]),
    );
    let mark = format!("{} {}", section.runbook, section.section);
    result(1, "error", &text, &file.unwrap_or_else(|| json!([])), &mark)
}

fn result(rule: usize, level: &str, text: &str, locations: &Value, mark: &str) -> Value {
    let (id, _) = RULES[rule];
    // The same finding has the same mark whatever else changes, so that nobody is told twice.
    let print = Digest::of_bytes(format!("{id} {mark}").as_bytes());
    json!({
        "ruleId": id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": text },
        "locations": locations,
        "partialFingerprints": { "windlass/v1": encode_hex(&print.as_bytes()[..16]) },
    })
}

fn location(pointer: &Pointer) -> Value {
    json!([{ "physicalLocation": {
        "artifactLocation": artifact(pointer.file.as_str()),
        "region": { "startLine": pointer.span.start(), "endLine": pointer.span.end() },
    } }])
}

fn artifact(file: &str) -> Value {
    json!({ "uri": relative_uri(file), "uriBaseId": "%SRCROOT%" })
}

/// `file` as a relative reference (RFC 3986): what is not unreserved or `/` is percent-encoded.
fn relative_uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_written_as_references() {
        assert_eq!(relative_uri("src/a b#1:é.rs"), "src/a%20b%231%3A%C3%A9.rs");
    }
}
