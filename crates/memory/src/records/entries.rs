//! Splits an event file into its entries, which are independent of each other.

use std::ops::Range;

/// Maximum length of an entry, in characters. The check warns about longer ones, because an event
/// is meant to be a short trace of work.
pub(crate) const MAX_ENTRY: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventEntry {
    /// Range of the heading above the entry. In most files, that's a day.
    pub(crate) heading: Option<Range<usize>>,
    /// Range of the entry, including the text nested in it.
    pub(crate) range: Range<usize>,
}

/// Splits an event file. A heading without text below it counts as an entry, too.
pub(crate) fn entries_in(text: &str) -> Vec<EventEntry> {
    let mut found: Vec<EventEntry> = Vec::new();
    let (mut heading, mut is_used, mut is_open) = (None::<Range<usize>>, true, false);
    let (mut at, mut is_behind_blank) = (0, true);
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let says = line.trim_end();
        if says.is_empty() {
            is_behind_blank = true;
            continue;
        }
        let is_indented = says.starts_with(' ') || says.starts_with('\t');
        let is_heading = !is_indented && says.starts_with('#');
        let begins = !is_indented && (is_item(says) || is_behind_blank || !is_open);
        is_behind_blank = false;
        if is_heading {
            found.extend(alone(heading.take(), is_used));
            (heading, is_used, is_open) = (Some(range), false, false);
        } else if begins || !is_open {
            found.push(EventEntry {
                heading: heading.clone(),
                range: range.start..range.start + says.len(),
            });
            (is_used, is_open) = (true, true);
        } else if let Some(last) = found.last_mut() {
            last.range.end = range.start + says.len();
        }
    }
    found.extend(alone(heading, is_used));
    found
}

/// Turns a heading without text below it into an entry. `is_used` is true if there was an entry
/// below the heading.
fn alone(heading: Option<Range<usize>>, is_used: bool) -> Option<EventEntry> {
    let heading = heading.filter(|_| !is_used)?;
    Some(EventEntry {
        heading: None,
        range: heading,
    })
}

fn is_item(line: &str) -> bool {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marks: &[&str] = match digits {
        0 => &["- ", "* ", "+ "],
        _ => &[". ", ") "],
    };
    marks.iter().any(|mark| line[digits..].starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_paragraphs_are_entries() {
        let text = "# Events\n\n## 2026-03-01\n\n- one\n  goes on\n\n  and on\n- two\nlazily\n\n## 2026-03-02\n\nThree\nlines.\n\n1. four\n\n## Alone\n";
        let told: Vec<_> = entries_in(text)
            .into_iter()
            .map(|one| {
                let heading = one.heading.map(|heading| text[heading].trim());
                (heading, &text[one.range])
            })
            .collect();
        let first = Some("## 2026-03-01");
        let second = Some("## 2026-03-02");
        assert_eq!(
            told,
            [
                (None, "# Events\n"),
                (first, "- one\n  goes on\n\n  and on"),
                (first, "- two\nlazily"),
                (second, "Three\nlines."),
                (second, "1. four"),
                (None, "## Alone\n"),
            ]
        );
        assert_eq!(entries_in(""), []);
    }
}
