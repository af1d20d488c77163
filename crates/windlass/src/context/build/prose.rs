//! Where a document begins to say something: badges, pictures and HTML say nothing to who reads its text.

use std::sync::OnceLock;

use regex::Regex;
use windlass_context::Section;
use windlass_repo::SourceFile;

/// In a line of HTML, fewer words are the title of a link or a picture.
const FEW_WORDS: usize = 4;
/// A picture, which may be a link.
const PICTURE: &str = r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?";

/// The lines of `section` without those at its beginning that say nothing; none where all that stands below its heading says nothing.
pub(super) fn saying(file: &SourceFile, section: &Section) -> Option<(u32, u32)> {
    let line = |number: u32| {
        let line = file.redacted_line(number);
        line.map_or_else(String::new, |line| line.as_str().trim().to_owned())
    };
    let mut in_tag = false;
    let mut numbers = section.first..=section.last;
    let first = numbers.find(|number| says_something(&line(*number), &mut in_tag));
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

/// Whether a line is more than a heading, markup and blanks; `in_tag` says whether a tag is open at its beginning.
fn says_something(line: &str, in_tag: &mut bool) -> bool {
    let is_markup = *in_tag || line.starts_with('<');
    let text = without_tags(line, in_tag);
    let text = match text.contains("![") {
        true => without_pictures(&text),
        false => text,
    };
    // A heading, and where links lead that are used elsewhere.
    let is_aside = line.starts_with('#') || line.starts_with('[') && line.contains("]: ");
    let words = text.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    let least = if is_markup { FEW_WORDS } else { 1 };
    !is_aside && words.count() >= least
}

/// `line` without tags, of which the last may go on in the next line.
fn without_tags(line: &str, in_tag: &mut bool) -> String {
    let mut text = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let is_name = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!');
        match c {
            '>' if *in_tag => *in_tag = false,
            _ if *in_tag => {}
            '<' if chars.peek().is_some_and(is_name) => *in_tag = true,
            c => text.push(c),
        }
    }
    text
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
