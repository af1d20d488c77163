//! Evidence made stale by a change, as SARIF.

use serde_json::Value;
use windlass::packs::Rank;
use windlass::{Impact, StaleEvidence, TouchedSection};

use super::impact_text::what;
use super::sarif_log::{SarifResult, SarifRule, sarif_log};
use super::scan_sarif::{level, of_citations};

/// Formats the report as a SARIF log with a single run.
#[must_use]
pub fn impact_sarif(impact: &Impact) -> Value {
    let anchors = impact.anchors.iter().map(of_anchor);
    let edited = impact.unclear.iter().filter(|cited| cited.edited_in_place);
    let citations = of_citations(impact.citations.iter().chain(&impact.wrong).chain(edited));
    let sections = impact.stale_sections().map(of_section);
    let unusable = impact.unusable.iter().map(|name| of_runbook(name));
    sarif_log(
        "impact",
        anchors.chain(citations).chain(sections).chain(unusable),
    )
}

fn of_anchor(stale: &StaleEvidence) -> SarifResult {
    let repair = stale.judgement.repair.as_ref();
    // Code hosts show the finding in the current files, so prefer the current location.
    let now = repair.and_then(|repair| repair.evidence.as_ref());
    let place = now.unwrap_or(&stale.pointer);
    SarifResult {
        rule: SarifRule::StaleAnchor,
        level: level(&stale.judgement),
        message: format!(
            "Anchor {} ({})",
            what(stale),
            Rank::of(&stale.judgement).as_str()
        ),
        file: Some(place.file.to_string()),
        lines: Some((place.span.start(), place.span.end())),
        identity: format!("{} {}", stale.id, stale.pointer),
    }
}

fn of_section(section: &TouchedSection) -> SarifResult {
    SarifResult {
        rule: SarifRule::StaleSection,
        level: "error",
        message: format!(
            "Section {} of {}: {}",
            section.section,
            section.runbook,
            section.because.join("; ")
        ),
        file: file_of(&section.runbook),
        lines: None,
        identity: format!("{} {}", section.runbook, section.section),
    }
}

fn of_runbook(name: &str) -> SarifResult {
    SarifResult {
        rule: SarifRule::InvalidRunbook,
        level: "error",
        message: format!("{name} is not valid"),
        file: file_of(name),
        lines: None,
        identity: name.to_owned(),
    }
}

fn file_of(runbook: &str) -> Option<String> {
    (!runbook.starts_with("notebook:")).then(|| runbook.to_owned())
}
