//! Renders a view as Markdown, for documents and agents.

use windlass_base::{Entry, Evidence, Observation, one_line};

use super::state_words as words;
use crate::printing::Styled;
use crate::printing::clean;
use crate::runbook::entry_view::{BlockView, EntryView};
use crate::runbook::runbook_view::{Says, SectionView, View};
use crate::runbook::value_parts::Part;
use crate::runbook::verified_lines::TextLine;

/// The longest text around a block's lines.
pub(super) const FRAME: &str = "  from line 1234567\n``````typescript\n``````\n";

pub(super) fn render(view: &View<'_>) -> Styled {
    let pack = view.pack;
    let mut out = Styled::default();
    out.plain_text(format!(
        "# {} — {}\n",
        escape(&pack.runbook.title),
        pack.status.as_str()
    ));
    if view.says.purpose && !pack.runbook.purpose.is_empty() {
        out.plain_text(format!("\n{}\n", escape(pack.runbook.purpose.trim())));
    }
    if view.says.warnings {
        for note in &pack.notes {
            out.plain_text(format!("\n> {}\n", escape(note)));
        }
    }
    for section in &view.sections {
        out.append(section_text(section, view.says));
    }
    if let Some(text) = words::sections_left_out(view) {
        out.plain_text(format!("\n{text}.\n"));
    }
    if !view.next_actions.is_empty() {
        out.plain_text("\n## Next\n\n");
    }
    for action in &view.next_actions {
        out.plain_text(format!(
            "- {} {}\n",
            code_span(&action.written_out()),
            escape(&action.reason)
        ));
    }
    if let Some(text) = super::state_words::cut(view) {
        out.plain_text(format!("\n*{text}*\n"));
    }
    out
}

fn section_text(view: &SectionView<'_>, says: Says) -> Styled {
    let section = view.section;
    let mut out = Styled::default();
    let mut head = format!(
        "\n## {} — {}",
        escape(&section.title),
        section.status.as_str()
    );
    if !section.entries.is_empty() {
        head.push_str(&format!(
            " ({})",
            words::count(view.entries.len(), section.entries.len())
        ));
    }
    out.plain_text(head).plain_text("\n\n");
    if let Some(reason) = &section.reason {
        out.plain_text(format!("{}\n", escape(reason)));
    }
    if says.purpose {
        for line in section.help.as_deref().unwrap_or_default().lines() {
            out.plain_text(format!("> {}\n", escape(line)));
        }
    }
    if says.notes {
        for note in &section.notes {
            out.plain_text(format!("> {}\n", escape(note)));
        }
    }
    for entry in &view.entries {
        out.append(entry_text(entry));
    }
    if let Some(action) = view.more(says) {
        let (more, command) = (
            words::left_out(view.left_out),
            code_span(&action.written_out()),
        );
        out.plain_text(format!("- … {more}: {command}\n"));
    }
    if let Some(left_out) = view.lost(says) {
        out.plain_text(format!("- … {}\n", words::left_out(left_out)));
    }
    out
}

/// Renders an entry with its evidence's lines.
pub(super) fn entry_text(entry: &EntryView<'_>) -> Styled {
    let Some((evidence, line)) = entry.single_line() else {
        return with_blocks(entry, &entry.blocks);
    };
    let mut out = evidence_head(evidence, Some(code_span(line.text.as_str().trim())));
    let mark = entry.blocks.first().map(super::screen_text::context_mark);
    out.append(mark.unwrap_or_default());
    out.append(fields_text(entry));
    out
}

/// Renders an entry without its evidence's lines.
pub(super) fn entry_head(entry: &EntryView<'_>) -> Styled {
    with_blocks(entry, &[])
}

/// Renders an entry with the lines in `blocks`.
fn with_blocks(entry: &EntryView<'_>, blocks: &[BlockView]) -> Styled {
    let mut out = Styled::default();
    match entry.entry {
        Entry::Item(item) => {
            for (at, evidence) in item.evidence.iter().enumerate() {
                let title = (at == 0).then(|| escape(&words::title(item)));
                out.append(evidence_head(evidence, title));
                if at == 0 {
                    out.append(fields_text(entry));
                }
                if let Some(block) = blocks.get(at) {
                    out.append(block_text(block, evidence));
                }
            }
        }
        Entry::Observation(observation) => {
            let part = entry.part.as_ref();
            let observation = part.map_or(observation, |part| &part.observation);
            let lines = observed_lines(observation);
            out.append(super::screen_text::marked(&lines, part));
        }
    }
    out
}

/// Renders an item's fields, which go below the line with its name.
fn fields_text(entry: &EntryView<'_>) -> Styled {
    let mut out = Styled::default();
    let item = entry.item_with_fields();
    for line in item.map(words::fields).unwrap_or_default() {
        let (indent, text) = match line.strip_prefix("  ") {
            Some(text) => ("    ", text),
            None => ("  ", line.as_str()),
        };
        out.plain_text(format!("{indent}- {}", escape(text)))
            .end_line();
    }
    out
}

/// Returns approximately the text added by a part of an observation.
pub(super) fn part(part: &Part<'_, '_>) -> String {
    // No line is indented further than this.
    let print = |line: &String| format!("      {}\n", escape(line));
    words::part(part).iter().map(print).collect()
}

/// Returns an observation's printed lines.
pub(super) fn observed_lines(observation: &Observation) -> Vec<String> {
    let lines = words::observed(observation);
    let print = |(at, line): (usize, &String)| {
        let indent = if at == 0 { "- " } else { "  " };
        format!("{indent}{}\n", escape(line))
    };
    lines.iter().enumerate().map(print).collect()
}

/// Renders the line about a piece of evidence. `title` must be Markdown already.
fn evidence_head(evidence: &Evidence, title: Option<String>) -> Styled {
    let (word, _) = words::state(&evidence.judgement);
    let mut text = format!("- {word} {}", code_span(&words::place(evidence)));
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        text.push_str(&format!(" {title}"));
    }
    if let Some(remark) = words::remark(evidence) {
        text.push_str(&format!(" — {}", escape(&remark)));
    }
    let mut out = Styled::default();
    out.plain_text(text).end_line();
    out
}

fn block_text(block: &BlockView, evidence: &Evidence) -> Styled {
    let mut out = Styled::default();
    let lines = || block.before.iter().chain(&block.lines).chain(&block.after);
    if block.skipped > 0
        && let Some(first) = lines().next()
    {
        out.plain_text(format!("  from line {}\n", first.number));
    }
    // An earlier page may have shown lines between two of these. Mark the gap.
    let gap = |a: &[TextLine], b: &[TextLine]| {
        let follows = match (a.last(), b.first()) {
            (Some(a), Some(b)) => a.number + 1 == b.number,
            _ => true,
        };
        (!follows).then(|| "…\n".to_owned())
    };
    let (before, own, after) = (&block.before, &block.lines, &block.after);
    let rest = if own.is_empty() { after } else { own };
    let mut texts: Vec<String> = before.iter().map(line).collect();
    texts.extend(gap(before, rest));
    texts.extend(own.iter().chain(after).map(line));
    texts.extend(block.pieces.iter().map(piece));
    let language = if block.is_diff() {
        "diff"
    } else {
        language(evidence)
    };
    out.append(fenced(&texts, language));
    if block.lines_cut > 0 && !block.lines.is_empty() {
        out.append(super::screen_text::cut_mark(block.lines_cut));
    }
    if lines().next().is_some() {
        out.append(super::screen_text::context_mark(block));
    }
    out.append(super::screen_text::pieces_mark(block));
    out
}

/// Renders `lines` as a code block, or nothing if there are none.
fn fenced(lines: &[String], language: &str) -> Styled {
    let mut out = Styled::default();
    if lines.is_empty() {
        return out;
    }
    // A fence has to be longer than any run of backticks inside it.
    let run = lines.iter().map(|line| longest_run(line)).max();
    let fence = "`".repeat(3.max(run.unwrap_or(0) + 1));
    out.plain_text(format!("{fence}{language}\n{}{fence}\n", lines.concat()));
    out
}

/// Renders a piece of a long line after its location.
pub(super) fn piece(piece: &TextLine) -> String {
    format!("{}:{}  {}", piece.number, piece.column, line(piece))
}

pub(super) fn line(line: &TextLine) -> String {
    let text = clean(line.text.as_str());
    match line.sign {
        None => format!("{text}\n"),
        Some(sign) => format!("{}\n", sign.unified(line.number, &text)),
    }
}

/// Renders `text` as inline code, even if it contains backticks.
fn code_span(text: &str) -> String {
    let text = clean(text);
    if text.is_empty() {
        // Two backticks with nothing between them would open a code span.
        return String::new();
    }
    let mark = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{mark}{pad}{text}{pad}{mark}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn language(evidence: &Evidence) -> &'static str {
    let name = evidence.pointer.file.file_name();
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "rs" => "rust",
        "py" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "ts" | "tsx" => "typescript",
        "go" => "go",
        "java" => "java",
        "c" | "h" => "c",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "json" => "json",
        "sh" => "sh",
        "sql" => "sql",
        _ => "",
    }
}

/// Escapes Markdown markup in `text` and joins its lines.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(&one_line(text)).chars() {
        if matches!(
            c,
            '\\' | '`' | '~' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
