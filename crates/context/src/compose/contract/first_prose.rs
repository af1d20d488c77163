//! Finds the first prose in a document. READMEs tend to begin with badges and pictures, which don't
//! tell an agent anything.

use std::sync::OnceLock;

use regex::{Captures, Regex};
use windlass_packs::context::Section;
use windlass_repo::SourceFile;

/// A line of HTML with fewer words than this is the title of a link or a picture, unless it's in a
/// table.
const FEW_WORDS: usize = 4;
/// Matches comments, tags and pictures, including pictures inside of a link.
const MARKUP: &str = r"(?s)<!--.*?(?:-->|\z)|</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?";
/// Replaces markup that we've removed, so that we can still tell if a line began with it.
const MARK: char = '\u{1}';

/// Returns the lines of `section` from the first prose on, or `None` if there's no prose. A section
/// with a heading is returned as a whole.
pub(super) fn saying(file: &SourceFile, section: &Section) -> Option<(u32, u32)> {
    let line = |number: u32| {
        let line = file.shown().line(number);
        line.map_or_else(String::new, |line| line.as_str().trim().to_owned())
    };
    let lines: Vec<String> = (section.first..=section.last).map(line).collect();
    let text = without_markup(&lines.join("\n"));
    let mut numbered = (section.first..).zip(lines.iter().zip(text.split('\n')));
    let first = numbered.find(|(_, (line, text))| says_something(line, text));
    // A heading with no text below it stands for its subsections.
    let is_bare = |line: &String| line.is_empty() || line.starts_with('#');
    match (&section.anchor, first) {
        (Some(_), None) if !lines.iter().all(is_bare) => None,
        (Some(_), _) => Some((section.first, section.last)),
        (None, first) => Some((first?.0, section.last)),
    }
}

/// True if there's more in a line than headings, pictures, tags and blanks. `text` is the line with
/// its markup replaced.
fn says_something(line: &str, text: &str) -> bool {
    if line.starts_with("```") || line.starts_with("~~~") {
        return true;
    }
    // The definition of a reference link isn't prose either.
    let is_aside = line.starts_with('#') || line.starts_with('[') && line.contains("]: ");
    let is_title = text.starts_with(MARK) && !line.contains("<td");
    let least = if is_title { FEW_WORDS } else { 1 };
    let words = text.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    !is_aside && words.count() >= least
}

/// Replaces each piece of markup with a [`MARK`]. The number of lines doesn't change.
fn without_markup(text: &str) -> String {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(pattern) = PATTERN.get_or_init(|| Regex::new(MARKUP).ok()) else {
        return text.to_owned();
    };
    let mark = |found: &Captures<'_>| {
        let ends = found[0].matches('\n').count();
        format!("{MARK}{}", "\n".repeat(ends))
    };
    pattern.replace_all(text, mark).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_starts_at_first_prose() {
        for (text, anchor, lines) in [
            ("It is small.\nIt is fast.", None, Some((1, 2))),
            (
                "<div align=\"center\"><img src=\"a.svg\" alt=\"\"></div>",
                None,
                None,
            ),
            (
                "<p align=\"center\">\n  <img\n    src=\"a.svg\" alt=\"the logo of it all\"\n  >\n  <a href=\"#x\">Use</a> •\n</p>\n",
                None,
                None,
            ),
            (
                "<h1>x</h1>\n\n[![build](a.svg)](b) ![docs of it][d]\n[d]: https://x\n\nIt is small.\n",
                None,
                Some((6, 6)),
            ),
            ("<b>x</b> is a small tool.\n", None, Some((1, 1))),
            ("# x\n\n![logo](a.svg)\n\nSmall.\n", Some("x"), Some((1, 5))),
            ("# x\n\n![logo](a.svg)\n", Some("x"), None),
            ("# x\n\n", Some("x"), Some((1, 2))),
            ("1 < 2 is said.\n", None, Some((1, 1))),
            (
                "<!-- a > b is\n what was said once -->\n<br>\nIt.\n",
                None,
                Some((4, 4)),
            ),
            (
                "<table>\n<tr><td><img src=\"a.svg\"></td></tr>\n<tr><td><a href=\"x\">Linux</a></td></tr>\n</table>\n",
                None,
                Some((3, 4)),
            ),
            ("```\n<a>\n```\n", None, Some((1, 3))),
            ("# x\n\n```\n<b>1</b>\n```\n", Some("x"), Some((1, 5))),
            ("<?xml version=\"1.0\"?>\n<a/>\n", None, Some((1, 2))),
            ("<https://example.org>\n", None, Some((1, 1))),
            ("", None, None),
        ] {
            let file = SourceFile::from_bytes(text.as_bytes().to_vec());
            let section = Section {
                first: 1,
                last: u32::try_from(text.lines().count()).unwrap(),
                anchor: anchor.map(str::to_owned),
                under: Vec::new(),
            };
            assert_eq!(saying(&file, &section), lines, "{text}");
        }
    }
}
