//! Report of evidence made stale by a change, as SARIF 2.1.0 (OASIS), which code hosts show next to the changed lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass::base::{Digest, Judgement, Pointer, RepairOutcome, encode_hex};
use windlass::packs::Rank;
use windlass::{CitedLines, Impact, StaleEvidence, TouchedSection};

use crate::impact_text::{what, what_is_cited};

/// Rules with their descriptions.
const RULES: [(&str, &str); 3] = [
    (
        "stale-anchor",
        "The text that an anchor points to is no longer where it was captured.",
    ),
    (
        "stale-section",
        "A section of a runbook no longer has its earlier evidence.",
    ),
    (
        "stale-citation",
        "A document cites lines that have changed.",
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
    // Location for the reader: the current one, if known.
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

/// Returns the level of a finding: automatic repairs are only warnings.
fn level(judgement: &Judgement) -> &'static str {
    match judgement.outcome() {
        Some(RepairOutcome::Moved) => "warning",
        _ => "error",
    }
}

/// Returns the result for a citation; `nr` counts equal citations of one document, from 1.
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
    // A runbook in the notebook has no file to show.
    let file = (!section.runbook.starts_with("notebook:")).then(
        || json!([{ "physicalLocation": { "artifactLocation": artifact(&section.runbook) } }]),
    );
    let mark = format!("{} {}", section.runbook, section.section);
    result(1, "error", &text, &file.unwrap_or_else(|| json!([])), &mark)
}

fn result(rule: usize, level: &str, text: &str, locations: &Value, mark: &str) -> Value {
    let (id, _) = RULES[rule];
    // The fingerprint depends only on the finding, so that it is not reported twice.
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

/// Encodes `file` as a relative reference (RFC 3986): everything except unreserved characters and `/` is
/// percent-encoded.
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
    fn file_name_is_percent_encoded() {
        assert_eq!(relative_uri("src/a b#1:é.rs"), "src/a%20b%231%3A%C3%A9.rs");
    }
}
