//! Text of evidence and its lines for a terminal.

use windlass_base::{Evidence, counted};

use super::state_words as words;
use crate::printing::{Style, Styled, clean, fit, rows};
use crate::runbook::edit_diff::DiffSign;
use crate::runbook::entry_view::{BlockView, PartView};
use crate::runbook::value_parts::Extent;
use crate::runbook::verified_lines::TextLine;
use crate::{PackStatus, SectionStatus};

/// Width of the state column. The longest states, such as `unknown`, just fit.
const STATE: usize = 7;

/// Minimum number of columns for an entry's title. A long path would leave no room for the title
/// otherwise, so such a line may be too long.
const MIN_TITLE: usize = 20;

pub(super) fn pack_style(status: PackStatus) -> Style {
    match status {
        PackStatus::Ok => Style::Good,
        PackStatus::Stale | PackStatus::Partial => Style::Warn,
        PackStatus::Failed | PackStatus::Cancelled => Style::Bad,
    }
}

pub(super) fn section_style(status: SectionStatus) -> Style {
    match status {
        SectionStatus::Fresh => Style::Good,
        SectionStatus::Empty | SectionStatus::Observed | SectionStatus::Skipped => Style::Dim,
        SectionStatus::Moved | SectionStatus::Unknown | SectionStatus::Stale => Style::Warn,
        SectionStatus::Failed => Style::Bad,
    }
}

/// Renders an observation's lines, with a mark where parts are omitted.
pub(super) fn marked(lines: &[String], part: Option<&PartView>) -> Styled {
    let gap = part.and_then(|part| part.gap_at).unwrap_or(lines.len());
    let (before, after) = lines.split_at(gap.min(lines.len()));
    let mut out = Styled::default();
    out.plain_text(before.concat());
    out.append(part.map(left_out_mark).unwrap_or_default());
    out.plain_text(after.concat());
    out
}

fn left_out_mark(part: &PartView) -> Styled {
    match part.left_out {
        Extent::Lines(0) | Extent::Values(0) => Styled::default(),
        Extent::Lines(count) if part.gap_at.is_some() => {
            mark(&format!("{} before", counted(count, "line")))
        }
        Extent::Lines(count) => cut_mark(u32::try_from(count).unwrap_or(u32::MAX)),
        Extent::Values(count) => mark(&counted(count, "more value")),
    }
}

pub(super) fn evidence_head(
    evidence: &Evidence,
    title: Option<String>,
    width: Option<usize>,
) -> Styled {
    let (word, style) = words::state(&evidence.judgement);
    let mut out = Styled::default();
    out.plain_text("  ")
        .push(style, format!("{word:STATE$}"))
        .plain_text("  ");
    let place = words::place(evidence);
    let taken = STATE + 6 + place.chars().count();
    let width = width.map(|width| width.saturating_sub(taken).max(MIN_TITLE));
    out.push(Style::Place, place);
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        out.plain_text(format!("  {}", fit(&title, width)));
    }
    if let Some(remark) = words::remark(evidence) {
        out.push(Style::Dim, format!("  {remark}"));
    }
    out.end_line();
    out
}

pub(super) fn block_text(block: &BlockView, width: Option<usize>) -> Styled {
    let mut out = Styled::default();
    for line in block.before.iter().chain(&block.lines) {
        out.append(self::line(line, width));
    }
    if block.lines_cut > 0 && !block.lines.is_empty() {
        out.append(cut_mark(block.lines_cut));
    }
    for line in &block.after {
        out.append(self::line(line, width));
    }
    out.append(context_mark(block));
    for piece in &block.pieces {
        out.append(self::piece(piece, width));
    }
    out.append(pieces_mark(block));
    out
}

pub(super) fn pieces_mark(block: &BlockView) -> Styled {
    match (block.pieces_cut, block.pieces.len()) {
        (0, _) | (_, 0) => Styled::default(),
        (pieces, _) => mark(&counted(pieces, "more piece")),
    }
}

pub(super) fn context_mark(block: &BlockView) -> Styled {
    match block.context_cut {
        0 => Styled::default(),
        lines => mark(&format!("{} around", counted(lines, "more line"))),
    }
}

pub(super) fn line(line: &TextLine, width: Option<usize>) -> Styled {
    let text = clean(line.text.as_str());
    let (style, text) = match line.sign {
        None => (Style::Plain, format!(" {}", text.trim_end())),
        Some(DiffSign::Gap) => (Style::Dim, " …".to_owned()),
        Some(sign) => (sign.style(), format!("{}{}", sign.mark(), text.trim_end())),
    };
    let mut out = Styled::default();
    out.push(Style::Dim, format!("  {:>7} ", line.number));
    out.push(
        style,
        fit(&text, width.map(|width| width.saturating_sub(10))),
    )
    .end_line();
    out
}

/// Renders a piece of a long line. It's wrapped rather than cut, because no other page shows the
/// rest.
pub(super) fn piece(piece: &TextLine, width: Option<usize>) -> Styled {
    let text = clean(piece.text.as_str());
    let width = width.map(|width| width.saturating_sub(11));
    let mut out = Styled::default();
    out.push(Style::Dim, format!("  {:>7}  ", piece.number));
    for (at, row) in rows(text.trim_end(), width).iter().enumerate() {
        if at > 0 {
            out.plain_text(" ".repeat(11));
        }
        out.plain_text(*row).end_line();
    }
    out
}

pub(super) fn cut_mark(lines: u32) -> Styled {
    mark(&counted(lines, "more line"))
}

fn mark(text: &str) -> Styled {
    let mut out = Styled::default();
    out.push(Style::Dim, format!("        …  {text}"))
        .end_line();
    out
}
