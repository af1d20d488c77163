//! Secrets that are found by what stands in front of them: a name and a sign of assignment, a tag, the title
//! of a key.
//!
//! The rule's pattern knows the head alone; what follows is read here, in steps that are bounded for each
//! head, so that a text made to be slow is not.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::value::{is_assigned, is_element};

/// How far a key may reach, in bytes; real ones have at most a few thousand.
pub(super) const MAX_KEY: usize = 64 << 10;

/// How far a quoted value may reach, in bytes.
const MAX_QUOTED: usize = 64 << 10;

/// How much of a value is looked at to judge it, in bytes.
const JUDGED: usize = 256;

/// The key after `-----BEGIN … PRIVATE KEY-----`, together with its titles: up to the end title; without
/// one, as far as it still looks like the body of a key.
pub(super) fn key_block(text: &[u8], head: Range<usize>) -> Option<Range<usize>> {
    let window = &text[head.end..text.len().min(head.end + MAX_KEY)];
    let length = end_title(window).unwrap_or_else(|| {
        let of_a_body = |b: &u8| {
            b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"+/=\\\"',:".contains(b)
        };
        window.iter().take_while(|b| of_a_body(b)).count()
    });
    holds_key(&window[..length]).then(|| head.start..head.end + length)
}

/// Where the title that ends a key ends.
fn end_title(window: &[u8]) -> Option<usize> {
    const END: &[u8] = b"-----END ";
    let start = memmem::find(window, END)? + END.len();
    let title = &window[start..window.len().min(start + 64)];
    let dashes = memmem::find(title, b"-----")?;
    memmem::find(&title[..dashes], b"PRIVATE KEY").map(|_| start + dashes + 5)
}

/// Whether this is what a key consists of, and not code that only talks of keys: a run that is longer than
/// words are.
fn holds_key(body: &[u8]) -> bool {
    let mut run = 0;
    body.iter().any(|b| {
        let inside = b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
        run = if inside { run + 1 } else { 0 };
        run >= 32
    })
}

/// The literal after a name that promises a secret and a sign of assignment.
pub(super) fn assigned_value(text: &[u8], head: Range<usize>) -> Option<Range<usize>> {
    let name = &text[head.clone()];
    // What looks like a type between `:` and `=` may be the value, base64 that ends with `=`.
    let padded =
        memchr::memchr(b'=', name).is_some_and(|at| at > 0 && !b" \t".contains(&name[at - 1]));
    let colon = memchr::memchr(b':', name).filter(|_| padded).map(|colon| {
        let blanks = name[colon + 1..].iter().take_while(|b| b" \t".contains(b));
        head.start + colon + 1 + blanks.count()
    });
    [Some(head.end), colon.filter(|start| *start < head.end)]
        .into_iter()
        .flatten()
        .find_map(|start| {
            let range = literal(name, &text[start..])?;
            Some(start + range.start..start + range.end)
        })
}

/// The literal at the start of `rest`, if it is a secret.
fn literal(name: &[u8], rest: &[u8]) -> Option<Range<usize>> {
    match opening_quote(rest) {
        Some((start, quote, escaped)) => {
            let length = quoted_length(&rest[start..], quote, escaped);
            let value = &rest[start..start + length];
            (length >= 4 && is_assigned(name, &judged(value), true)).then(|| start..start + length)
        }
        None => {
            let inside = |b: &u8| !b.is_ascii_whitespace() && !b"\"'`\\,;".contains(b);
            let length = length_of(rest, JUDGED, inside);
            (length >= 6 && is_assigned(name, &judged(&rest[..length]), false))
                .then(|| 0..length_of(rest, usize::MAX, inside))
        }
    }
}

/// How many bytes at the start of `rest` are `inside`; `max` at most.
fn length_of(rest: &[u8], max: usize, inside: impl Fn(&u8) -> bool) -> usize {
    rest.iter().take(max).take_while(|b| inside(b)).count()
}

/// Where a quoted literal starts, its quote, and whether the quote is escaped (JSON within a string). Up to
/// two characters may stand in front: `b"…"`, `&"…"`, `f'…'`.
fn opening_quote(rest: &[u8]) -> Option<(usize, u8, bool)> {
    let marks = rest
        .iter()
        .take(2)
        .take_while(|b| b.is_ascii_alphabetic() || b"&@".contains(b))
        .count();
    let escaped = rest.get(marks) == Some(&b'\\');
    let at = marks + usize::from(escaped);
    let quote = *rest.get(at)?;
    b"\"'`".contains(&quote).then_some((at + 1, quote, escaped))
}

/// How far a quoted literal reaches: to its quote, or the end of the line.
fn quoted_length(rest: &[u8], quote: u8, escaped: bool) -> usize {
    let rest = &rest[..rest.len().min(MAX_QUOTED)];
    let mut at = 0;
    while let Some(b) = rest.get(at) {
        match b {
            b'\\' if escaped => break,
            b'\\' => at += 1,
            b'\n' | b'\r' => break,
            b if *b == quote => break,
            _ => {}
        }
        at += 1;
    }
    at.min(rest.len())
}

/// The text of an element whose tag promises a secret.
pub(super) fn element_text(text: &[u8], head: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[head.end..];
    let length = length_of(rest, MAX_QUOTED, |b| {
        !b.is_ascii_whitespace() && !b"<>".contains(b)
    });
    let closed = rest[length..].starts_with(b"</");
    (closed && is_element(&text[head.clone()], &judged(&rest[..length])))
        .then(|| head.end..head.end + length)
}

/// As much of a value as is looked at.
fn judged(value: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&value[..value.len().min(JUDGED)])
}
