//! Writes Markdown reports for a comment on a proposed change, or for a job summary.
//!
//! The author of a change chooses the names of its files, so all text from elsewhere is escaped.
//! Code hosts also limit the size of a comment. We reserve room for the suggested commands first,
//! and let the tables fill the rest.

use windlass::base::{NextAction, cut_after};
use windlass::packs::harmless_line;

/// Maximum length of a report, in characters. GitHub permits 65,536 in a comment.
const MAX_REPORT: usize = 65_000;

/// Maximum number of rows in a table. Any further rows are just counted.
const MAX_ROWS: usize = 50;

/// Maximum length of a cell before escaping, in characters. The rest is cut off.
const MAX_CELL: usize = 300;

const MAX_ACTIONS: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Stale,
    /// Nothing depends on the changed files, so nothing is proved.
    Nothing,
    Valid,
}

pub(super) struct MarkdownReport {
    text: String,
    /// Number of characters left for tables.
    left: usize,
    end: String,
}

impl MarkdownReport {
    /// Begins a report with a hidden `marker`, by which a later report finds the comment to
    /// replace.
    pub(super) fn new(
        marker: &str,
        (sign, title): (Sign, &str),
        summary: &str,
        actions: &[NextAction],
    ) -> Self {
        let sign = match sign {
            Sign::Stale => "⚠️",
            Sign::Nothing => "➖",
            Sign::Valid => "✅",
        };
        let text = format!(
            "<!-- {marker} -->\n### {sign} {title}\n\n{}\n",
            escaped(summary)
        );
        let end = suggestions(actions);
        let used = text.chars().count() + end.chars().count();
        Self {
            text,
            left: MAX_REPORT.saturating_sub(used),
            end,
        }
    }

    /// Adds a table with the columns `titles`, whose cells must be escaped Markdown. If there are
    /// too many rows, the last line has the number of the others.
    pub(super) fn table<const N: usize>(
        &mut self,
        titles: [&str; N],
        rows: impl ExactSizeIterator<Item = [String; N]>,
    ) {
        /// Room for the count of the omitted rows, in characters.
        const REST: usize = 40;
        let total = rows.len();
        let mut shown = 0;
        let mut table = format!("\n| {} |\n|{}\n", titles.join(" | "), "---|".repeat(N));
        let mut used = table.chars().count() + REST;
        for row in rows.take(MAX_ROWS) {
            let row = format!("| {} |\n", row.join(" | "));
            used += row.chars().count();
            if used > self.left {
                break;
            }
            table.push_str(&row);
            shown += 1;
        }
        if total == 0 {
            return;
        }
        if shown == 0 {
            table.clear();
        }
        if shown < total {
            table.push_str(&format!("\n… and {} more.\n", total - shown));
        }
        self.left = self.left.saturating_sub(table.chars().count());
        self.text.push_str(&table);
    }

    pub(super) fn finish(self) -> String {
        self.text + &self.end
    }
}

fn suggestions(actions: &[NextAction]) -> String {
    let mut out = String::new();
    if !actions.is_empty() {
        out.push_str("\nTo repair it:\n\n");
    }
    for action in actions.iter().take(MAX_ACTIONS) {
        let (call, why) = (action.written_out(), &action.reason);
        out.push_str(&format!("- {} – {}\n", code(&call), escaped(why)));
    }
    out
}

fn cut(text: &str) -> String {
    cut_after(&harmless_line(text), MAX_CELL)
}

/// Escapes `text` for a table cell.
///
/// Code hosts only look for mentions, issue numbers and addresses after parsing the Markdown. A
/// backslash in front of the sign doesn't stop them, but an invisible space next to it does.
pub(super) fn escaped(text: &str) -> String {
    const SPACE: &str = "&#8203;";
    let text = cut(text);
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match c {
            '@' => out.extend(["@", SPACE]),
            ':' if rest.starts_with("//") => out.extend([":", SPACE]),
            '.' if text[..at].to_ascii_lowercase().ends_with("www") => out.extend([SPACE, "."]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '#' | '|' | '!' | '$' => {
                out.push('\\');
                out.push(c);
                if c == '#' && rest.starts_with(|next: char| next.is_ascii_digit()) {
                    out.push_str(SPACE);
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Formats `text` as code in a table cell, where `|` has to be escaped even within code.
pub(super) fn code(text: &str) -> String {
    let mut text = cut(text);
    if text.contains('|') {
        text = text.replace('\\', "\\\\").replace('|', "\\|");
    }
    // Code with backticks needs a longer run of them as its delimiter.
    let longest = text.split(|c| c != '`').map(str::len).max();
    let mark = "`".repeat(longest.unwrap_or_default() + 1);
    let pad = if text.contains('`') { " " } else { "" };
    format!("{mark}{pad}{text}{pad}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped() {
        assert_eq!(code("a|b`c"), "`` a\\|b`c ``");
        assert_eq!(code("a\\|b"), "`a\\\\\\|b`");
        assert_eq!(
            escaped("<img> @all [x](y) a|b\nc #12 #x"),
            "&lt;img&gt; @&#8203;all \\[x\\](y) a\\|b\u{fffd}c \\#&#8203;12 \\#x"
        );
        assert_eq!(
            escaped("https://a.example WWW.b.example"),
            "https:&#8203;//a.example WWW&#8203;.b.example"
        );
        assert_eq!(escaped(&"x".repeat(400)).chars().count(), MAX_CELL + 1);
    }

    #[test]
    fn report_of_any_size_fits_a_comment() {
        let worst = || escaped(&"@".repeat(MAX_CELL));
        let actions: Vec<NextAction> = (0..40)
            .map(|_| NextAction::new("anchor scan", "@".repeat(900)))
            .collect();
        let summary = "<".repeat(900);
        let mut report = MarkdownReport::new("x", (Sign::Stale, "X"), &summary, &actions);
        for _ in 0..3 {
            let rows: Vec<[String; 3]> = (0..200).map(|_| [worst(), worst(), worst()]).collect();
            report.table(["a", "b", "c"], rows.into_iter());
        }
        let text = report.finish();
        assert!(text.chars().count() <= MAX_REPORT, "{}", text.len());
        assert!(text.contains("\n… and "), "{text}");
        assert!(text.contains("To repair it:"), "{text}");
        assert!(text.ends_with('\n'));
    }
}
