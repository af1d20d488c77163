//! HTML blocks with raw text, such as `<script>`, whose end the parser doesn't recognise.
//!
//! According to CommonMark, the end tag of any of these elements ends such a block, even if another
//! element started it, and regardless of case. The parser instead waits for the matching end tag,
//! and would treat all headings up to there as HTML.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Elements with raw text as contents.
const ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];
/// Number of bytes to search for the next such block at first. If there's none, we search a
/// multiple of that.
const WINDOW: usize = 512;

/// Returns `body` with spaces in place of blocks that end with another element's end tag. Its length
/// stays the same, so positions in it remain valid.
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
    // Only whole characters were replaced by spaces, so the text is still valid UTF-8.
    String::from_utf8(readable).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Returns true if `text` has a start tag with another element's end tag, or an end tag in a case
/// that the parser doesn't recognise.
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

/// Returns the first block of `text` that ends with another element's end tag. The range ends with
/// that tag's line.
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

/// Returns the block starting at `start` if its first end tag belongs to another element.
fn ended_by_another(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = text[start..].trim_start();
    let own = ELEMENTS.iter().find(|name| begins(begin, name))?;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let ends = line.match_indices("</").map(|(at, _)| &line[at..]);
        let mut ends = ends.filter(|tag| ELEMENTS.iter().any(|name| is_end_tag(tag, name)));
        let is_known = |tag: &str| tag[2..].starts_with(own) && is_end_tag(tag, own);
        if let Some(first) = ends.next() {
            let is_own = is_known(first) || ends.any(is_known);
            return (!is_own).then(|| start..at + line.len());
        }
        at += line.len();
    }
    None
}

/// Returns true if `text` starts with a start tag of the element `name`.
fn begins(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix('<').unwrap_or_default();
    let (tag, rest) = rest.split_at_checked(name.len()).unwrap_or_default();
    let mut rest = rest.chars();
    tag.eq_ignore_ascii_case(name) && rest.next().is_none_or(|c| c.is_whitespace() || c == '>')
}

/// Returns true if `text` starts with an end tag of the element `name`.
fn is_end_tag(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix("</").unwrap_or_default();
    let (tag, rest) = rest.split_at_checked(name.len()).unwrap_or_default();
    tag.eq_ignore_ascii_case(name) && rest.starts_with('>')
}
