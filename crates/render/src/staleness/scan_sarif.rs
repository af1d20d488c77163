//! Citations in documents, as SARIF.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass::base::{Judgement, RepairOutcome};
use windlass::packs::Rank;
use windlass::{CitedLines, Scan, UnreadDocument};

use super::sarif_log::{SarifResult, SarifRule, sarif_log};
use super::scan_text::what_is_cited;

/// Formats the stale citations as a SARIF log with a single run.
#[must_use]
pub fn scan_sarif(scan: &Scan) -> Value {
    let unread = scan.unread.iter().map(of_unread);
    let stale = scan.citations.iter().filter(|cited| cited.is_stale());
    sarif_log("scan", unread.chain(of_citations(stale)))
}

/// Returns `warning` for automatically repairable evidence, and `error` otherwise.
pub(super) fn level(judgement: &Judgement) -> &'static str {
    match judgement.outcome() {
        Some(RepairOutcome::Moved) => "warning",
        _ => "error",
    }
}

/// A document may cite the same lines more than once, so number the duplicates to distinguish them.
pub(super) fn of_citations<'a>(
    citations: impl Iterator<Item = &'a CitedLines>,
) -> impl Iterator<Item = SarifResult> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    citations.map(move |cited| {
        let mut identity = format!("{} {}", cited.document, cited.citation);
        let number = seen.entry(identity.clone()).or_default();
        *number += 1;
        if *number > 1 {
            identity += &format!(" {number}");
        }
        let level = match cited.edited_in_place {
            true => "note",
            false => level(&cited.judgement),
        };
        SarifResult {
            rule: match cited.is_wrong_from_the_start() {
                true => SarifRule::WrongCitation,
                false => SarifRule::StaleCitation,
            },
            level,
            message: format!(
                "{} ({})",
                what_is_cited(cited),
                Rank::of(&cited.judgement).as_str()
            ),
            file: Some(cited.document.to_string()),
            lines: Some((cited.document_line, cited.document_line)),
            identity,
        }
    })
}

fn of_unread(unread: &UnreadDocument) -> SarifResult {
    SarifResult {
        rule: SarifRule::UnreadableDocument,
        level: "error",
        message: format!("cannot scan {}: {}", unread.document, unread.reason),
        file: Some(unread.document.to_string()),
        lines: None,
        identity: unread.document.to_string(),
    }
}
