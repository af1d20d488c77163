//! Report of evidence made stale by a change, as a comment on the proposed change.

use windlass::Impact;
use windlass::base::cut_after;
use windlass::notebook::remark;
use windlass::packs::{Rank, harmless_line};

use crate::impact_text::{cited, summary};

/// The most rows of one table: a comment has a limit of its own wherever it is put.
const MAX_ROWS: usize = 50;

/// The longest cell, in characters.
const MAX_CELL: usize = 300;

/// Marker that identifies the comment, so that a later one replaces it.
const MARK: &str = "<!-- windlass impact -->";

/// Formats the report as a Markdown comment, with all foreign text escaped. The comment is read at the root of the
/// repository, wherever it was made, so use a site that is [called at the root](windlass::Site::called_at_the_root).
#[must_use]
pub fn impact_markdown(impact: &Impact) -> String {
    let sign = match impact.is_stale() {
        true => "⚠️",
        false if impact.nothing_to_check => "➖",
        false => "✅",
    };
    let mut out = format!(
        "{MARK}\n### {sign} Evidence\n\n{}\n",
        escaped(&summary(impact))
    );
    if !impact.anchors.is_empty() {
        out.push_str("\n| | anchor | was at | now |\n|---|---|---|---|\n");
    }
    for stale in impact.anchors.iter().take(MAX_ROWS) {
        let now = remark(&stale.judgement).unwrap_or_default();
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            Rank::of(&stale.judgement).word(),
            code(stale.id.as_str()),
            code(&stale.pointer.to_string()),
            escaped(&now)
        ));
    }
    rest(&mut out, impact.anchors.len());
    if cited(impact).next().is_some() {
        out.push_str("\n| | document | cites | now |\n|---|---|---|---|\n");
    }
    for one in cited(impact).take(MAX_ROWS) {
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            Rank::of(&one.judgement).word(),
            code(&format!("{}:{}", one.document, one.document_line)),
            code(&one.citation),
            escaped(&remark(&one.judgement).unwrap_or_default())
        ));
    }
    rest(&mut out, cited(impact).count());
    let stale: Vec<_> = impact.stale_sections().collect();
    if !stale.is_empty() {
        out.push_str("\n| runbook | section | because |\n|---|---|---|\n");
    }
    for section in stale.iter().take(MAX_ROWS) {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            code(&section.runbook),
            escaped(&section.title),
            escaped(&section.because.join("; "))
        ));
    }
    rest(&mut out, stale.len());
    if !impact.next_actions.is_empty() {
        out.push_str("\nTo repair it:\n\n");
    }
    for action in &impact.next_actions {
        let (call, why) = (action.written_out(), &action.reason);
        out.push_str(&format!("- {} – {}\n", code(&call), escaped(why)));
    }
    out
}

fn rest(out: &mut String, count: usize) {
    if count > MAX_ROWS {
        out.push_str(&format!("\n… and {} more.\n", count - MAX_ROWS));
    }
}

fn cut(text: &str) -> String {
    cut_after(&harmless_line(text), MAX_CELL)
}

/// Escapes `text` for a table cell, including mentions and links.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in cut(text).chars() {
        match c {
            '@' => out.push_str("&#64;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '#' | '|' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// `text` as code in a table's cell.
fn code(text: &str) -> String {
    let text = cut(text).replace('|', "\\|");
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let mark = "`".repeat(longest + 1);
    let pad = if text.contains('`') { " " } else { "" };
    format!("{mark}{pad}{text}{pad}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped() {
        assert_eq!(code("a|b`c"), "`` a\\|b`c ``");
        assert_eq!(
            escaped("<img> @all [x](y) a|b\nc"),
            "&lt;img&gt; &#64;all \\[x\\](y) a\\|b\u{fffd}c"
        );
        assert_eq!(escaped(&"x".repeat(400)).chars().count(), MAX_CELL + 1);
    }
}
