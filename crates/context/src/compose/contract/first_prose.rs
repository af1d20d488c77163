//! Where a document begins to say something: badges, pictures and the tags around them say nothing to who reads its text.

use std::sync::OnceLock;

use regex::Regex;
use windlass_packs::context::Section;
use windlass_repo::SourceFile;

/// In a line of HTML outside of a table, fewer words are the title of a link or a picture.
const FEW_WORDS: usize = 4;
/// Tags by which a document is laid out. Others are what it is about: the elements of a configuration, or of a page.
const LAYOUT: [&str; 30] = [
    "a", "b", "big", "br", "center", "code", "div", "em", "font", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "i", "img", "kbd", "p", "picture", "small", "source", "span", "strong", "sub",
    "sup", "u", "nobr", "video",
];
/// Those by which a table is: what stands in its cells is text, however short it is.
const TABLE: [&str; 8] = [
    "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption",
];
/// A picture, which may be a link.
const PICTURE: &str = r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?";

/// The lines of `section` without those at its beginning that say nothing; none where all that stands below its heading says nothing.
pub(super) fn saying(file: &SourceFile, section: &Section) -> Option<(u32, u32)> {
    let line = |number: u32| {
        let line = file.shown().line(number);
        line.map_or_else(String::new, |line| line.as_str().trim().to_owned())
    };
    let mut markup = Markup::default();
    let mut numbers = section.first..=section.last;
    let first = numbers.find(|number| markup.says_something(&line(*number)));
    // What stands below a heading alone are the sections within it.
    let is_bare = |number: u32| {
        let line = line(number);
        line.is_empty() || line.starts_with('#')
    };
    match (&section.anchor, first) {
        (Some(_), None) if !(section.first..=section.last).all(is_bare) => None,
        (Some(_), _) => Some((section.first, section.last)),
        (None, first) => Some((first?, section.last)),
    }
}

/// What is open at the beginning of a line.
#[derive(Default)]
struct Markup {
    in_tag: bool,
    in_comment: bool,
    in_table: bool,
}

impl Markup {
    /// Whether a line is more than a heading, pictures, the tags around them, and blanks.
    fn says_something(&mut self, line: &str) -> bool {
        if line.is_empty() {
            // No tag goes on behind an empty line: a `<` before it was none.
            self.in_tag = false;
            return false;
        }
        if !self.in_comment && (line.starts_with("```") || line.starts_with("~~~")) {
            return true;
        }
        let is_markup = self.in_tag || self.in_comment || line.starts_with('<');
        let is_cell = self.in_table;
        let Some(text) = self.without_tags(line) else {
            return true;
        };
        let text = match text.contains("![") {
            true => without_pictures(&text),
            false => text,
        };
        // A heading, and where links lead that are used elsewhere.
        let is_aside = line.starts_with('#') || line.starts_with('[') && line.contains("]: ");
        let words = text.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphanumeric));
        let is_title = is_markup && !is_cell && !self.in_table;
        let least = if is_title { FEW_WORDS } else { 1 };
        !is_aside && words.count() >= least
    }

    /// `line` without tags and comments, of which the last may go on in the next line; none where it has a tag that is more than layout.
    fn without_tags(&mut self, line: &str) -> Option<String> {
        let mut text = String::new();
        let mut rest = line;
        loop {
            let end = match (self.in_comment, self.in_tag) {
                (true, _) => Some("-->"),
                (_, true) => Some(">"),
                _ => None,
            };
            if let Some(end) = end {
                let Some((_, behind)) = rest.split_once(end) else {
                    return Some(text);
                };
                (self.in_comment, self.in_tag) = (false, false);
                rest = behind;
            }
            let Some((before, behind)) = rest.split_once('<') else {
                text.push_str(rest);
                return Some(text);
            };
            text.push_str(before);
            if behind.starts_with("!--") {
                self.in_comment = true;
            } else {
                self.begin_tag(behind, &mut text)?;
            }
            rest = behind;
        }
    }

    /// Takes in the tag that begins with `behind`, what follows its `<`; where it is none, the `<` is text.
    fn begin_tag(&mut self, behind: &str, text: &mut String) -> Option<()> {
        if behind.starts_with('?') {
            return None;
        }
        let name = behind.strip_prefix('/').unwrap_or(behind);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            text.push('<');
            return Some(());
        }
        let name = name.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
        let name = name.take(1).collect::<String>().to_ascii_lowercase();
        if TABLE.contains(&&*name) {
            self.in_table = name != "table" || !behind.starts_with('/');
        } else if !LAYOUT.contains(&&*name) {
            return None;
        }
        self.in_tag = true;
        Some(())
    }
}

fn without_pictures(text: &str) -> String {
    static PICTURES: OnceLock<Option<Regex>> = OnceLock::new();
    match PICTURES.get_or_init(|| Regex::new(PICTURE).ok()) {
        Some(pictures) => pictures.replace_all(text, " ").into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_begins_where_it_says_something() {
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
            ("<project>\n  <a/>\n</project>\n", None, Some((1, 3))),
            ("<?xml version=\"1.0\"?>\n<a/>\n", None, Some((1, 2))),
            ("<https://example.org>\n", None, Some((1, 1))),
            ("<p\n\nIt.\n", None, Some((3, 3))),
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
