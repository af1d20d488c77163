//! Citations in documents, as a Markdown report.

use windlass::packs::Rank;
use windlass::{CitedLines, Scan};

use super::markdown_report::{MarkdownReport, Sign, code, escaped};
use super::scan_text::{citation_remark, other_than_fresh, scan_summary};

/// The columns in a table of citations, see [`row_of_citation`].
pub(super) const CITED: [&str; 4] = ["", "document", "cites", "now"];

/// Formats the result as a Markdown report. As for `impact_markdown`, the site should be
/// [called at the root](windlass::Site::called_at_the_root).
#[must_use]
pub fn scan_markdown(scan: &Scan) -> String {
    let sign = match scan.is_stale() {
        true => Sign::Stale,
        false if scan.citations.is_empty() => Sign::Nothing,
        false => Sign::Valid,
    };
    let mut report = MarkdownReport::new(
        "windlass anchor scan",
        (sign, "Citations"),
        &scan_summary(scan),
        &scan.next_actions,
    );
    report.table(
        ["document", "cannot be scanned"],
        scan.unread
            .iter()
            .map(|unread| [code(unread.document.as_str()), escaped(&unread.reason)]),
    );
    let others = other_than_fresh(scan);
    report.table(CITED, others.into_iter().map(row_of_citation));
    report.finish()
}

/// Formats a citation: its state, its location, the cited lines, and their current location.
pub(super) fn row_of_citation(cited: &CitedLines) -> [String; 4] {
    [
        Rank::of(&cited.judgement).as_str().to_owned(),
        code(&format!("{}:{}", cited.document, cited.document_line)),
        code(&cited.citation),
        escaped(&citation_remark(cited)),
    ]
}
