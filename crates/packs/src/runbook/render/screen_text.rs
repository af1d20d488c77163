//! Renders a view as text for a terminal.

use windlass_base::{Entry, Evidence, Observation, counted};

use super::state_words as words;
use crate::printing::{Style, Styled};
use crate::printing::{clean, fit, rows};
use crate::runbook::edit_diff::DiffSign;
use crate::runbook::entry_view::{BlockView, EntryView, PartView};
use crate::runbook::runbook_view::{Says, SectionView, View};
use crate::runbook::value_parts::{Extent, Part};
use crate::runbook::verified_lines::TextLine;
use crate::{PackStatus, SectionStatus};

/// Width of the state column, set by the longest state, `unknown`.
const STATE: usize = 7;

/// Minimum number of columns for an entry's title. Without it, a long path would leave no room for
/// the title.
const MIN_TITLE: usize = 20;

pub(super) fn render(view: &View<'_>, width: Option<usize>) -> Styled {
    let mut out = head(view);
    for section in &view.sections {
        out.append(section_text(section, view.says, width));
    }
    if let Some(text) = words::sections_left_out(view) {
        out.end_line();
        out.push(Style::Warn, text).end_line();
    }
    out.append(foot(view));
    out
}

fn head(view: &View<'_>) -> Styled {
    let pack = view.pack;
    let mut out = Styled::default();
    out.push(Style::Title, clean(&pack.runbook.title))
        .plain_text("  ");
    out.push(pack_style(pack.status), pack.status.as_str())
        .end_line();
    if view.says.purpose && !pack.runbook.purpose.is_empty() {
        out.push(
            Style::Dim,
            clean(pack.runbook.purpose.trim()).replace('\u{fffd}', " "),
        )
        .end_line();
    }
    if view.says.warnings {
        for note in &pack.notes {
            out.push(Style::Warn, format!("note: {}", clean(note)))
                .end_line();
        }
    }
    out
}

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

fn section_text(view: &SectionView<'_>, says: Says, width: Option<usize>) -> Styled {
    let section = view.section;
    let mut out = Styled::default();
    out.end_line()
        .push(Style::Heading, clean(&section.title))
        .plain_text("  ");
    out.push(section_style(section.status), section.status.as_str());
    if !section.entries.is_empty() {
        out.push(
            Style::Dim,
            format!(
                "  {}",
                words::count(view.entries.len(), section.entries.len())
            ),
        );
    }
    if let Some(reason) = &section.reason {
        out.plain_text(format!(": {}", clean(reason)));
    }
    out.end_line();
    if says.purpose {
        for line in section.help.as_deref().unwrap_or_default().lines() {
            out.push(Style::Dim, format!("  {}", fit(&clean(line), width)))
                .end_line();
        }
    }
    if says.notes {
        for note in &section.notes {
            out.push(Style::Dim, format!("  note: {}", clean(note)))
                .end_line();
        }
    }
    for entry in &view.entries {
        out.append(entry_text(entry, width));
    }
    if let Some(action) = view.more(says) {
        out.push(
            Style::Dim,
            format!("  … {}  ", words::left_out(view.left_out)),
        )
        .push(Style::Command, clean(&action.written_out()))
        .end_line();
    }
    if let Some(left_out) = view.lost(says) {
        out.push(Style::Dim, format!("  … {}", words::left_out(left_out)))
            .end_line();
    }
    out
}

/// Renders an entry with its evidence's lines.
pub(super) fn entry_text(entry: &EntryView<'_>, width: Option<usize>) -> Styled {
    let Some((evidence, line)) = entry.single_line() else {
        return with_blocks(entry, &entry.blocks, width);
    };
    let text = fit(line.text.as_str().trim(), width).into_owned();
    let mut out = evidence_head(evidence, Some(clean(&text).into_owned()), width);
    out.append(entry.blocks.first().map(context_mark).unwrap_or_default());
    out.append(fields_text(entry, width));
    out
}

/// Renders an entry without its evidence's lines.
pub(super) fn entry_head(entry: &EntryView<'_>, width: Option<usize>) -> Styled {
    with_blocks(entry, &[], width)
}

/// Renders an entry with the lines in `blocks`.
fn with_blocks(entry: &EntryView<'_>, blocks: &[BlockView], width: Option<usize>) -> Styled {
    let mut out = Styled::default();
    match entry.entry {
        Entry::Item(item) => {
            for (at, evidence) in item.evidence.iter().enumerate() {
                let title = (at == 0).then(|| words::title(item));
                out.append(evidence_head(evidence, title, width));
                if at == 0 {
                    out.append(fields_text(entry, width));
                }
                if let Some(block) = blocks.get(at) {
                    out.append(block_text(block, width));
                }
            }
        }
        Entry::Observation(observation) => {
            let part = entry.part.as_ref();
            let observation = part.map_or(observation, |part| &part.observation);
            out.append(marked(&observed_lines(observation, width), part));
        }
    }
    out
}

/// Renders an item's fields, which go below the line with its name.
fn fields_text(entry: &EntryView<'_>, width: Option<usize>) -> Styled {
    let mut out = Styled::default();
    let item = entry.item_with_fields();
    for line in item.map(words::fields).unwrap_or_default() {
        out.plain_text(fit(&format!("    {line}"), width))
            .end_line();
    }
    out
}

/// Returns approximately the text added by a part of an observation.
pub(super) fn part(part: &Part<'_, '_>, width: Option<usize>) -> String {
    // No line is indented further than this.
    let print = |line: &String| format!("      {}\n", fit(line, width));
    words::part(part).iter().map(print).collect()
}

/// Returns an observation's printed lines.
pub(super) fn observed_lines(observation: &Observation, width: Option<usize>) -> Vec<String> {
    let lines = words::observed(observation);
    let print = |(at, line): (usize, &String)| {
        let indent = if at == 0 { "  " } else { "    " };
        format!("{}\n", fit(&format!("{indent}{line}"), width))
    };
    lines.iter().enumerate().map(print).collect()
}

/// Renders an observation's lines, with a mark for omitted parts.
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

fn evidence_head(evidence: &Evidence, title: Option<String>, width: Option<usize>) -> Styled {
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

fn block_text(block: &BlockView, width: Option<usize>) -> Styled {
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

/// Renders the mark for pieces of long lines left to the next page.
pub(super) fn pieces_mark(block: &BlockView) -> Styled {
    match (block.pieces_cut, block.pieces.len()) {
        (0, _) | (_, 0) => Styled::default(),
        (pieces, _) => mark(&counted(pieces, "more piece")),
    }
}

/// Renders the mark for omitted surrounding lines.
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

/// Renders a piece of a long line. We wrap it instead of cutting it, because no other page shows
/// the rest.
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

fn foot(view: &View<'_>) -> Styled {
    let mut out = Styled::default();
    if !view.next_actions.is_empty() {
        out.end_line().push(Style::Heading, "Next").end_line();
    }
    for action in &view.next_actions {
        out.plain_text("  ")
            .push(Style::Command, clean(&action.written_out()));
        out.push(Style::Dim, format!("  # {}", clean(&action.reason)))
            .end_line();
    }
    if let Some(text) = words::cut(view) {
        out.end_line().push(Style::Dim, text).end_line();
    }
    out
}
