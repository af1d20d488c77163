//! Works around a deviation of the parser from CommonMark: the end of HTML blocks with raw text,
//! such as `<script>`.
//!
//! According to CommonMark, the end tag of any such element ends the block, in upper or lower case
//! and even if another element started it. Our parser waits for the matching end tag instead, and
//! mistakes all headings before the tag for HTML.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Elements with raw text as content.
const ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];
/// Initial size in bytes of the part to search for the next such block, enlarged until one is
/// found. Parsing all of the rest for each block could take quadratic time.
const WINDOW: usize = 512;

/// Blanks out blocks closed by the end tag of another element. Line breaks stay, so that positions
/// in the result are valid for `body`.
#[must_use]
pub fn readable_markdown(body: &str) -> Cow<'_, str> {
    if !has_other_ends(body) {
        return Cow::Borrowed(body);
    }
    let mut readable = body.as_bytes().to_vec();
    let mut at = 0;
    while let Some(block) = next_block(&body[at..]) {
        let block = at + block.start..at + block.end;
        for byte in &mut readable[block.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        at = block.end;
    }
    // A block consists of whole characters, so the text is still valid UTF-8.
    String::from_utf8(readable).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Quick test for a possible problem: `text` contains the start tag of one element and the end tag
/// of another, or an end tag not in lower case.
fn has_other_ends(text: &str) -> bool {
    let (mut begun, mut ended) = ([false; 4], [false; 4]);
    for (at, _) in text.match_indices('<') {
        for (number, name) in ELEMENTS.iter().enumerate() {
            let is_end = is_end_tag(&text[at..], name);
            if is_end && !text[at + 2..].starts_with(name) {
                return true;
            }
            begun[number] |= begins(&text[at..], name);
            ended[number] |= is_end;
        }
    }
    let mut ends = (0..4).filter(|one| ended[*one]);
    ends.any(|end| (0..4).any(|one| one != end && begun[one]))
}

/// Finds the first block closed by the end tag of another element, including the whole line of that
/// tag.
fn next_block(text: &str) -> Option<Range<usize>> {
    let mut window = WINDOW;
    loop {
        let at = text.floor_char_boundary(window);
        let end = text[at..]
            .find('\n')
            .map_or(text.len(), |line| at + line + 1);
        for (event, range) in
            Parser::new_ext(&text[..end], Options::ENABLE_FOOTNOTES).into_offset_iter()
        {
            let Event::Start(Tag::HtmlBlock) = event else {
                continue;
            };
            if let Some(block) = ended_by_another(text, range.start) {
                return Some(block);
            }
        }
        if end == text.len() {
            return None;
        }
        window = window.saturating_mul(4);
    }
}

/// Finds the end of the block starting at `start`, provided that another element's end tag closes
/// it.
fn ended_by_another(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = text[start..].trim_start();
    let own = ELEMENTS.iter().find(|name| begins(begin, name))?;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let ends = line.match_indices("</").map(|(at, _)| &line[at..]);
        let mut ends = ends.filter(|tag| ELEMENTS.iter().any(|name| is_end_tag(tag, name)));
        let is_known = |tag: &str| tag[2..].starts_with(own) && is_end_tag(tag, own);
        if let Some(first) = ends.next() {
            // If the line has the matching end tag as well, the parser ends the block correctly.
            let is_own = is_known(first) || ends.any(is_known);
            return (!is_own).then(|| start..at + line.len());
        }
        at += line.len();
    }
    None
}

fn begins(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix('<').unwrap_or_default();
    let (tag, rest) = rest.split_at_checked(name.len()).unwrap_or_default();
    let mut rest = rest.chars();
    tag.eq_ignore_ascii_case(name) && rest.next().is_none_or(|c| c.is_whitespace() || c == '>')
}

fn is_end_tag(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix("</").unwrap_or_default();
    let (tag, rest) = rest.split_at_checked(name.len()).unwrap_or_default();
    tag.eq_ignore_ascii_case(name) && rest.starts_with('>')
}
