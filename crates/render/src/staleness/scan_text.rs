//! Text output for the citations in documents.

use windlass::base::{Judgement, counted};
use windlass::notebook::{push_next, remark};
use windlass::packs::{Rank, Style, Styled, harmless_line};
use windlass::{CitedLines, Scan};

use crate::capped_rows::{MAX_SHOWN, push_rest};

/// Width of the column for states, enough for the longest one (`unknown`).
const STATE: usize = 7;

/// Formats the result: first a summary, then the stale and the rewritten citations.
#[must_use]
pub fn scan_text(scan: &Scan) -> Styled {
    let mut out = Styled::default();
    let style = if scan.is_stale() {
        Style::Warn
    } else {
        Style::Good
    };
    out.push(style, scan_summary(scan)).end_line();
    for unread in scan.unread.iter().take(MAX_SHOWN) {
        let text = format!("cannot scan {}: {}", unread.document, unread.reason);
        out.push(Style::Bad, harmless_line(&text)).end_line();
    }
    if scan.untold > 0 {
        let places = counted(scan.untold, "place");
        let verb = if scan.untold == 1 { "names" } else { "name" };
        let text = format!(
            "{places} {verb} a missing file: history is cut off, so its past is unknown; run `git fetch --unshallow` in a shallow clone"
        );
        out.push(Style::Warn, text).end_line();
    }
    let others = other_than_fresh(scan);
    for cited in others.iter().take(MAX_SHOWN) {
        line(&mut out, cited);
    }
    push_rest(&mut out, others.len());
    push_next(&mut out, &scan.next_actions);
    out
}

/// Summarizes the scan by the share of fresh citations.
#[must_use]
pub fn scan_summary(scan: &Scan) -> String {
    let documents = counted(scan.documents, "document");
    let count = |is_counted: fn(&CitedLines) -> bool| {
        let citations = scan.citations.iter();
        citations.filter(|cited| is_counted(cited)).count()
    };
    let fresh = count(|cited| cited.judgement.is_fresh());
    let edited = match count(|cited| cited.edited_in_place) {
        0 => String::new(),
        edited => format!(", {edited} edited in place"),
    };
    match scan.citations.len() {
        0 => format!("no citations in {documents}"),
        total => {
            let all = counted(total, "citation");
            format!("{fresh} of {all} in {documents} fresh{edited}")
        }
    }
}

pub(super) fn other_than_fresh(scan: &Scan) -> Vec<&CitedLines> {
    let citations = scan.citations.iter();
    citations
        .filter(|cited| !cited.judgement.is_fresh())
        .collect()
}

pub(super) fn push_row(out: &mut Styled, style: Style, state: &str, text: &str) {
    out.push(style, format!("{state:STATE$}"));
    out.plain_text(format!("  {}", harmless_line(text)))
        .end_line();
}

pub(super) fn what_is_cited(cited: &CitedLines) -> String {
    let place = format!("{}:{}", cited.document, cited.document_line);
    match citation_remark(cited) {
        state if state.is_empty() => format!("{place}  {}", cited.citation),
        state => format!("{place}  {}; {state}", cited.citation),
    }
}

/// Describes the state of a citation, and where its text is now. This is empty for a rewritten
/// citation.
#[must_use]
pub fn citation_remark(cited: &CitedLines) -> String {
    if cited.edited_in_place {
        return in_place(&cited.judgement);
    }
    let remark = remark(&cited.judgement).filter(|_| cited.rewritten.is_none());
    match (remark, cited.by_hand) {
        // If all we know is the location, the remark already contains the reason.
        (Some(remark), Some(why)) if !remark.contains(why) => format!("{remark}; {why}"),
        (remark, _) => remark.unwrap_or_default(),
    }
}

fn line(out: &mut Styled, cited: &CitedLines) {
    let rank = Rank::of(&cited.judgement);
    let style = match cited.edited_in_place {
        true => Style::Warn,
        false => rank.style(),
    };
    push_row(out, style, rank.as_str(), &what_is_cited(cited));
    let Some(new) = &cited.rewritten else {
        return;
    };
    if *new != cited.citation {
        let old = harmless_line(&cited.citation);
        out.push(Style::Bad, format!("- {old}")).end_line();
        out.push(Style::Good, format!("+ {}", harmless_line(new)))
            .end_line();
    }
    if cited.rewritten_lines > 0 {
        let lines = counted(cited.rewritten_lines, "line");
        let text = format!("+ {lines} of its code block, as in the file now");
        out.push(Style::Good, text).end_line();
    }
}

fn in_place(judgement: &Judgement) -> String {
    let repair = judgement.repair.as_ref();
    let kept = repair.map_or(0, |repair| repair.confidence);
    let commit = repair.and_then(|repair| repair.commit.as_ref()?.get(..12));
    let since = commit.map_or_else(String::new, |commit| format!(" since {commit}"));
    format!(
        "edited in place, {kept} % retained{since}: the citation is valid, check the text about it"
    )
}
