//! Citations in documents as text for people.

use windlass::base::{Judgement, counted};
use windlass::notebook::{push_next, remark};
use windlass::packs::{Rank, Style, Styled, harmless_line};
use windlass::{CitedLines, Scan};

use crate::capped_rows::{MAX_SHOWN, push_rest};

/// Width of the column of states: the longest word is `unknown`.
const STATE: usize = 7;

/// Formats the result: a summary, then stale citations and rewritten ones.
#[must_use]
pub fn scan_text(scan: &Scan) -> Styled {
    let mut out = Styled::default();
    let fresh = scan
        .citations
        .iter()
        .filter(|cited| cited.judgement.is_fresh())
        .count();
    let documents = counted(scan.documents, "document");
    let style = if scan.is_stale() {
        Style::Warn
    } else {
        Style::Good
    };
    let text = match scan.citations.len() {
        0 => format!("no citations in {documents}"),
        total => {
            let all = counted(total, "citation");
            let edited = scan.citations.iter().filter(|one| one.edited_in_place);
            let edited = match edited.count() {
                0 => String::new(),
                edited => format!(", {edited} edited in place"),
            };
            format!("{fresh} of {all} in {documents} fresh{edited}")
        }
    };
    out.push(style, text).end_line();
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
    let others: Vec<&CitedLines> = scan
        .citations
        .iter()
        .filter(|cited| !cited.judgement.is_fresh())
        .collect();
    for cited in others.iter().take(MAX_SHOWN) {
        line(&mut out, cited);
    }
    push_rest(&mut out, others.len());
    push_next(&mut out, &scan.next_actions);
    out
}

/// Formats the state, location, citation and outcome, and a replacement as a diff.
fn line(out: &mut Styled, cited: &CitedLines) {
    let rank = Rank::of(&cited.judgement);
    let style = match cited.edited_in_place {
        true => Style::Warn,
        false => rank.style(),
    };
    let place = format!("{}:{}", cited.document, cited.document_line);
    let mut text = format!("{place}  {}", cited.citation);
    if cited.edited_in_place {
        text.push_str(&format!("; {}", in_place(&cited.judgement)));
    } else if cited.rewritten.is_none()
        && let Some(remark) = remark(&cited.judgement)
    {
        text.push_str(&format!("; {remark}"));
        // The remark contains the reason already if only the location is known.
        if let Some(why) = cited.by_hand.filter(|why| !remark.contains(why)) {
            text.push_str(&format!("; {why}"));
        }
    }
    out.push(style, format!("{:STATE$}", rank.word()));
    out.plain_text(format!("  {}", harmless_line(&text)))
        .end_line();
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

/// Describes a text that was edited where it is cited.
fn in_place(judgement: &Judgement) -> String {
    let repair = judgement.repair.as_ref();
    let kept = repair.map_or(0, |repair| repair.confidence);
    let commit = repair.and_then(|repair| repair.commit.as_ref()?.get(..12));
    let since = commit.map_or_else(String::new, |commit| format!(" since {commit}"));
    format!(
        "edited in place, {kept} % retained{since}: the citation is valid, check the text about it"
    )
}
