//! Names that are marked as the labels of notes and pages: `**Password:** …`, `<b>Password</b>: …`. The mark stands between
//! the name and its value.

use std::ops::Range;

use crate::assign::literal::{End, judge, line_start, span, unquoted};
use crate::assign::named::Name;
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;

/// What closes a mark, and what opens it.
const MARKS: [(&[u8], &[u8]); 9] = [
    (b"**", b"**"),
    (b"__", b"__"),
    (b"*", b"*"),
    (b"_", b"_"),
    (b"</b>", b"<b>"),
    (b"</strong>", b"<strong>"),
    (b"</em>", b"<em>"),
    (b"</i>", b"<i>"),
    (b"</u>", b"<u>"),
];

/// What a value may be marked by.
const AROUND_VALUE: [&[u8]; 4] = [b"<code>", b"<tt>", b"<kbd>", b"<samp>"];

/// The longest label, in bytes.
const LABEL: usize = 64;

/// The value behind a name, which ends at `closed`, if that is marked and a colon stands before or behind the end of the mark.
pub(crate) fn value(text: &Text<'_>, name: &Name, closed: usize) -> Option<Range<usize>> {
    let inner = usize::from(text.get(closed) == Some(b':'));
    let (close, open) = MARKS
        .iter()
        .find(|(close, _)| text.starts_with(closed + inner, close))?;
    let end = closed + inner + close.len();
    let outer = usize::from(text.get(end) == Some(b':'));
    if inner + outer != 1 || !text.get(end + outer).is_some_and(is_blank) {
        return None;
    }
    let own = line_start(text, name.start);
    let before = text.slice(own.max(name.start.saturating_sub(LABEL))..name.start);
    memchr::memmem::find(before, open)?;
    let at = text.blanks(end + outer);
    let at = AROUND_VALUE
        .iter()
        .find(|mark| text.starts_with(at, mark))
        .map_or(at, |mark| at + mark.len());
    if let Some(literal) = span(text, at) {
        let value = literal.value;
        return (value.len() >= 6 && judge(text, value.clone(), name.kind, Form::Bare))
            .then_some(value);
    }
    let value = unquoted(text, at, name.kind, Form::Bare, End::Next)?;
    // The next tag of a page is no part of it.
    let is_page = close.starts_with(b"</");
    let tag = memchr::memchr(b'<', text.slice(value.clone())).filter(|tag| is_page && *tag > 0);
    Some(value.start..tag.map_or(value.end, |tag| value.start + tag))
}
