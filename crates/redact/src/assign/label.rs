//! Names formatted as labels in notes and pages, such as `**Password:** …` or `<b>Password</b>: …`.
//! The markup is between the name and its value.

use std::ops::Range;
use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;

use crate::assign::literal::{End, judge, line_start, span, unquoted};
use crate::assign::named::Name;
use crate::scanned_text::Text;
use crate::value::Form;

/// The end of a mark with a colon inside or behind it, and anything that may mark the value.
const MARK: &str = r"(?-u)^(?<inner>:)?(?<close>\*\*|__|\*|_|</(?:b|strong|em|i|u)>)(?<outer>:)?[ \t]+(?:<(?:code|tt|kbd|samp)>)?";

/// Maximum length of a label, and of the text between it and the value, in bytes.
const LABEL: usize = 64;

/// Returns the value behind a name that ends at `closed`, if the name is marked.
pub(crate) fn value(text: &Text<'_>, name: &Name, closed: usize) -> Option<Range<usize>> {
    if !is_on("redact.label") {
        return None;
    }
    if !matches!(text.get(closed), Some(b':' | b'*' | b'_' | b'<')) {
        return None;
    }
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    let mark = COMPILED.get_or_init(|| Regex::new(MARK).expect("a test compiles it"));
    let groups = mark.captures(text.window(closed, LABEL))?;
    if groups.name("inner").is_some() == groups.name("outer").is_some() {
        return None;
    }
    let close = groups.name("close")?.as_bytes();
    let open = [
        &close[..1],
        close.strip_prefix(b"</").unwrap_or(&close[1..]),
    ]
    .concat();
    let own = line_start(text, name.start);
    let before = text.slice(own.max(name.start.saturating_sub(LABEL))..name.start);
    memchr::memmem::find(before, &open)?;
    let at = closed + groups.get(0)?.end();
    if let Some(literal) = span(text, at) {
        let value = literal.value;
        return (value.len() >= 6 && judge(text, value.clone(), name.kind, Form::Bare))
            .then_some(value);
    }
    let value = unquoted(text, at, name.kind, Form::Bare, End::Next)?;
    // Stop before the next tag of a page.
    let is_page = close.starts_with(b"</");
    let tag = memchr::memchr(b'<', text.slice(value.clone())).filter(|tag| is_page && *tag > 0);
    Some(value.start..tag.map_or(value.end, |tag| value.start + tag))
}
