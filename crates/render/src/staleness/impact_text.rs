//! Evidence made stale by a change, as text.

use windlass::base::counted;
use windlass::notebook::{push_next, remark};
use windlass::packs::{Rank, Style, Styled, harmless_line};
use windlass::{CitedLines, Effect, Impact, KeptIn, StaleEvidence};

use super::scan_text::{push_row, what_is_cited};
use crate::capped_rows::{MAX_SHOWN, push_rest};

/// Formats the report: first a summary, then the stale evidence, then the next actions.
#[must_use]
pub fn impact_text(impact: &Impact) -> Styled {
    let mut out = Styled::default();
    let style = match impact.is_stale() {
        true => Style::Bad,
        false if impact.nothing_to_check => Style::Warn,
        false => Style::Good,
    };
    out.push(style, summary(impact)).end_line();
    for stale in impact.anchors.iter().take(MAX_SHOWN) {
        let rank = Rank::of(&stale.judgement);
        push_row(&mut out, rank.style(), rank.as_str(), &what(stale));
    }
    push_rest(&mut out, impact.anchors.len());
    for one in cited(impact).take(MAX_SHOWN) {
        let rank = Rank::of(&one.judgement);
        push_row(&mut out, rank.style(), rank.as_str(), &what_is_cited(one));
    }
    push_rest(&mut out, cited(impact).count());
    let stale = impact.stale_sections().count();
    for section in impact.stale_sections().take(MAX_SHOWN) {
        let why = section.because.join("; ");
        let text = format!(
            "{}  section {}  {}; {why}",
            section.runbook, section.section, section.title
        );
        push_row(&mut out, Style::Bad, Effect::Stale.as_str(), &text);
    }
    push_rest(&mut out, stale);
    let touched = &impact.sections[stale.min(impact.sections.len())..];
    if !touched.is_empty() {
        let names: Vec<String> = touched
            .iter()
            .take(MAX_SHOWN)
            .map(|section| format!("{} ({})", section.runbook, section.section))
            .collect();
        let text = format!("sections of changed files: {}", names.join(", "));
        out.push(Style::Dim, harmless_line(&text)).end_line();
    }
    for name in &impact.unusable {
        let text = format!("{name} is not valid: run `windlass check {name}`");
        out.push(Style::Warn, harmless_line(&text)).end_line();
    }
    push_next(&mut out, &impact.next_actions);
    out
}

pub(super) fn summary(impact: &Impact) -> String {
    let files = counted(impact.files_changed, "changed file");
    let files = match impact.files_not_utf8 {
        0 => files,
        more => format!("{files} ({more} more with names that are not UTF-8)"),
    };
    let base = impact.base_in_words();
    let before = match impact.stale_before {
        0 => String::new(),
        count => format!("; {count} stale before"),
    };
    if impact.nothing_to_check && !impact.is_stale() {
        return format!(
            "nothing to check: there are no anchors here, and no document cites the {files} since {base}"
        );
    }
    let all = impact.anchors.len() + impact.standing;
    let unclear = match impact.unclear.len() {
        0 => String::new(),
        count => format!("; {} to review", counted(count, "citation")),
    };
    if all == 0 && impact.citations_valid == 0 && !impact.is_stale() {
        let nothing = match impact.unclear.len() {
            0 => "no evidence depends",
            _ => "no other evidence depends",
        };
        return match impact.stale_before {
            0 => format!("{nothing} on the {files} since {base}{unclear}"),
            count => format!(
                "no evidence valid at {base} depends on the {files}; {} of evidence stale before{unclear}",
                counted(count, "piece")
            ),
        };
    }
    if !impact.is_stale() {
        let pieces = (all > 0).then(|| format!("{} of evidence", counted(all, "piece")));
        let citations = impact.citations_valid;
        let citations = (citations > 0).then(|| counted(citations, "citation"));
        let valid: Vec<String> = pieces.into_iter().chain(citations).collect();
        let valid = valid.join(" and ");
        return format!("{valid} in {files} since {base}: all valid{before}{unclear}");
    }
    let mut parts = Vec::new();
    if !impact.anchors.is_empty() {
        let pieces = counted(all, "piece");
        parts.push(format!(
            "{} of {pieces} of evidence in {files} stale",
            impact.anchors.len()
        ));
    }
    if !impact.citations.is_empty() {
        let citations = counted(impact.citations.len(), "citation");
        parts.push(format!("{citations} made stale"));
    }
    if !impact.wrong.is_empty() {
        let citations = counted(impact.wrong.len(), "new citation");
        parts.push(format!("{citations} wrong"));
    }
    let sections = impact.stale_sections().count();
    if sections > 0 {
        let sections = counted(sections, "section");
        parts.push(format!("{sections} of runbooks made stale"));
    }
    if !impact.unusable.is_empty() {
        let runbooks = counted(impact.unusable.len(), "changed runbook");
        parts.push(format!("{runbooks} not valid"));
    }
    format!("since {base}: {}{before}{unclear}", parts.join(", "))
}

/// Returns the citations to show: first stale ones, then wrong new ones, then those in need of a
/// review.
pub(super) fn cited(impact: &Impact) -> impl Iterator<Item = &CitedLines> {
    let found = impact.citations.iter().chain(&impact.wrong);
    found.chain(&impact.unclear)
}

pub(super) fn what(stale: &StaleEvidence) -> String {
    let mut text = format!("{}  {}", stale.id, stale.pointer);
    if let Some(remark) = remark(&stale.judgement) {
        text.push_str(&format!("; {remark}"));
    }
    if stale.label != stale.id.as_str() {
        text.push_str(&format!("  {}", stale.label));
    }
    if stale.kept_in == KeptIn::Repository {
        text.push_str("  (shared)");
    }
    text
}
