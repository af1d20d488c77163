//! Evidence made stale by a change, as a comment on the proposed change.

use windlass::notebook::remark;
use windlass::packs::Rank;
use windlass::{Impact, StaleEvidence, TouchedSection};

use super::impact_text::{cited, summary};
use super::markdown_report::{MarkdownReport, Sign, code, escaped};
use super::scan_markdown::{CITED, row_of_citation};

/// Formats the report as a Markdown comment.
///
/// The comment is read at the root of the repository, wherever it was made, and its commands have
/// to work there. Use a site [called at the root](windlass::Site::called_at_the_root).
#[must_use]
pub fn impact_markdown(impact: &Impact) -> String {
    let sign = match impact.is_stale() {
        true => Sign::Stale,
        false if impact.nothing_to_check => Sign::Nothing,
        false => Sign::Valid,
    };
    let mut report = MarkdownReport::new(
        "windlass impact",
        (sign, "Evidence"),
        &summary(impact),
        &impact.next_actions,
    );
    report.table(
        ["", "anchor", "was at", "now"],
        impact.anchors.iter().map(row_of_anchor),
    );
    let cited: Vec<_> = cited(impact).collect();
    report.table(CITED, cited.into_iter().map(row_of_citation));
    let stale: Vec<_> = impact.stale_sections().collect();
    report.table(
        ["runbook", "section", "because"],
        stale.into_iter().map(row_of_section),
    );
    report.table(
        ["runbook", ""],
        impact
            .unusable
            .iter()
            .map(|name| [code(name), "is not valid".to_owned()]),
    );
    report.finish()
}

fn row_of_anchor(stale: &StaleEvidence) -> [String; 4] {
    let now = remark(&stale.judgement).unwrap_or_default();
    [
        Rank::of(&stale.judgement).as_str().to_owned(),
        code(stale.id.as_str()),
        code(&stale.pointer.to_string()),
        escaped(&now),
    ]
}

fn row_of_section(section: &TouchedSection) -> [String; 3] {
    [
        code(&section.runbook),
        escaped(&section.title),
        escaped(&section.because.join("; ")),
    ]
}
