//! Markdown of evidence and its lines. Everything from a file is escaped, or in a code block that
//! it cannot close.

use windlass_base::{Evidence, one_line};

use super::{screen_text, state_words as words};
use crate::printing::{Styled, clean};
use crate::runbook::entry_view::BlockView;
use crate::runbook::verified_lines::TextLine;

/// The longest text around the lines of a block.
pub(super) const FRAME: &str = "  from line 1234567\n``````typescript\n``````\n";

/// Renders the line about a piece of evidence. `title` must already be Markdown.
pub(super) fn evidence_head(evidence: &Evidence, title: Option<String>) -> Styled {
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

pub(super) fn block_text(block: &BlockView, evidence: &Evidence) -> Styled {
    let mut out = Styled::default();
    let lines = || block.before.iter().chain(&block.lines).chain(&block.after);
    if block.skipped > 0
        && let Some(first) = lines().next()
    {
        out.plain_text(format!("  from line {}\n", first.number));
    }
    // If an earlier page has shown lines in between, mark the gap.
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
        out.append(screen_text::cut_mark(block.lines_cut));
    }
    if lines().next().is_some() {
        out.append(screen_text::context_mark(block));
    }
    out.append(screen_text::pieces_mark(block));
    out
}

/// Renders `lines` as a code block. Without any lines, there is no block.
fn fenced(lines: &[String], language: &str) -> Styled {
    let mut out = Styled::default();
    if lines.is_empty() {
        return out;
    }
    // A fence must be longer than any run of backticks inside, or the text would close it.
    let run = lines.iter().map(|line| longest_run(line)).max();
    let fence = "`".repeat(3.max(run.unwrap_or(0) + 1));
    out.plain_text(format!("{fence}{language}\n{}{fence}\n", lines.concat()));
    out
}

/// Renders a piece of a long line, preceded by its location.
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
pub(super) fn code_span(text: &str) -> String {
    let text = clean(text);
    if text.is_empty() {
        // Code can't be empty: two backticks in a row would open a longer span.
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

/// Escapes the markup in `text`, and joins its lines.
pub(super) fn escape(text: &str) -> String {
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
