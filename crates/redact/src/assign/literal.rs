//! Finds the ends of values, depending on their syntax.

use std::borrow::Cow;
use std::ops::Range;
use windlass_base::is_on;

use crate::hidden::visible;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::{Form, is_secret};

/// Length of the judged part of a value, in bytes.
pub(crate) const JUDGED: usize = 256;

/// Maximum length of a multi-line literal, in bytes.
pub(crate) const MAX_LINES: usize = 64 << 10;

/// Maximum number of bytes to read backwards on a line for a value's context.
const LINE_BEFORE: usize = 512;

struct Opening {
    start: usize,
    quote: u8,
    /// Number of backslashes before the quote. 0 unless the literal is within another one.
    escapes: usize,
    triple: bool,
}

/// Finds the content of the quoted literal at `at`, if it is a secret.
pub(crate) fn quoted(text: &Text<'_>, at: usize, kind: Kind, form: Form) -> Option<Range<usize>> {
    let opening = opening(text, at)?;
    let start = opening.start;
    let end = closing(text, &opening, JUDGED);
    let long = end - start >= JUDGED;
    let judged = if opening.triple {
        trimmed(text, start..end)
    } else {
        start..end
    };
    if judged.len() < 4 || !judge(text, judged.clone(), kind, form) {
        return None;
    }
    if !long {
        return Some(judged);
    }
    // The first part was enough to judge the value. Now find its end, so that all of it is hidden.
    let max = if opening.triple {
        MAX_LINES
    } else {
        usize::MAX
    };
    Some(judged.start..closing(text, &opening, max))
}

/// Like [`quoted`] or [`unquoted`], depending on how the literal at `at` begins.
pub(crate) fn any(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    if is_quoted(text, at) {
        quoted(text, at, kind, Form::Literal)
    } else {
        unquoted(text, at, kind, Form::Bare, End::Next)
    }
}

pub(crate) fn is_quoted(text: &Text<'_>, at: usize) -> bool {
    opening(text, at).is_some()
}

/// Finds the end of the quoted literal at `at`, after its quotes. `None` if it is beyond `limit`.
pub(crate) fn end_of(text: &Text<'_>, at: usize, limit: usize) -> Option<usize> {
    let opening = opening(text, at)?;
    let close = closing(text, &opening, limit.saturating_sub(opening.start));
    let quotes = text.run(close, opening.escapes, |b| b == b'\\');
    let end = quotes + if opening.triple { 3 } else { 1 };
    let is_closed = text.run(quotes, end - quotes, |b| b == opening.quote) == end;
    (is_closed && end <= limit).then_some(end)
}

/// Reads the opening of a literal, with up to three characters before the quote (`b"…"`, `&"…"`,
/// `@"…"`, `r#"…"`).
fn opening(text: &Text<'_>, at: usize) -> Option<Opening> {
    let mark = |b: u8| b.is_ascii_alphabetic() || b"&@$#".contains(&b);
    let escaped = text.run(at, 3, mark);
    let at = text.run(escaped, 8, |b| b == b'\\');
    let quote = text.get(at).filter(|b| b"\"'`".contains(b))?;
    let escapes = at - escaped;
    let start = at + 1;
    let triple = escapes == 0 && quote != b'`' && text.starts_with(start, &[quote, quote]);
    Some(Opening {
        start: if triple { start + 2 } else { start },
        quote,
        escapes,
        triple,
    })
}

/// Counts the occurrences of `quote` on the line before `at`, either with or without a backslash.
fn quotes_before(text: &Text<'_>, at: usize, quote: u8, escaped: bool) -> usize {
    let start = line_start(text, at);
    let line = text.slice(start..at);
    let is_escaped = |at: usize| at > 0 && line[at - 1] == b'\\';
    memchr::memchr_iter(quote, line)
        .filter(|at| is_escaped(*at) == escaped)
        .count()
}

/// Returns the start of the line with `at`. On a line longer than [`LINE_BEFORE`], this is some
/// point on the line.
pub(crate) fn line_start(text: &Text<'_>, at: usize) -> usize {
    let window = text.window(at.saturating_sub(LINE_BEFORE), at.min(LINE_BEFORE));
    at - window.len() + memchr::memrchr2(b'\n', b'\r', window).map_or(0, |end| end + 1)
}

/// Returns true if `at` is between double quotes.
///
/// The check is limited to the line, so it is wrong inside a literal that spans lines.
pub(crate) fn is_in_string(text: &Text<'_>, at: usize) -> bool {
    quotes_before(text, at, b'"', false) % 2 == 1
}

/// Finds the end of a literal: its closing quote or the end of its line, whichever comes first, up
/// to `max` bytes further on. A literal in three quotes or in backticks may span lines.
fn closing(text: &Text<'_>, opening: &Opening, max: usize) -> usize {
    let (start, quote, escapes) = (opening.start, opening.quote, opening.escapes);
    let triple = opening.triple;
    let window = &text.bytes[start..text.bytes.len().min(start.saturating_add(max))];
    let mut backslashes = 0;
    let mut at = 0;
    while let Some(b) = window.get(at) {
        match *b {
            b'\\' => backslashes += 1,
            b'\n' | b'\r' if !triple && quote != b'`' => break,
            b if b == quote => {
                // A literal nested in `n` others is enclosed in quotes with 2^n - 1 backslashes.
                // Escaped quotes inside the literal have more.
                let own = backslashes % (2 * (escapes + 1)) == escapes;
                let outer = backslashes < escapes;
                // In SQL, for example, two quotes stand for one.
                let doubled =
                    !triple && escapes == 0 && at > 0 && window.get(at + 1) == Some(&quote);
                if triple {
                    if backslashes % 2 == 0 && window[at..].starts_with(&[quote; 3]) {
                        break;
                    }
                } else if doubled && backslashes % 2 == 0 {
                    at += 1;
                } else if own || outer {
                    at -= backslashes.min(escapes);
                    break;
                }
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
        at += 1;
    }
    let at = at.min(window.len());
    text.window(start, at);
    start + at
}

/// End of an unquoted value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A blank only. On the lines of an environment file, anything else belongs to the value.
    Blank,
    /// A blank, a quote or a comma.
    Next,
    /// Like `Next`, or any tag of a page.
    Tag,
    /// A semicolon or a quote, as in a connection string.
    Semicolon,
    /// The next parameter, as in a URL.
    Parameter,
}

/// Like [`quoted`], but for a value without quotes. `end` determines its end.
pub(crate) fn unquoted(
    text: &Text<'_>,
    at: usize,
    kind: Kind,
    form: Form,
    end: End,
) -> Option<Range<usize>> {
    let stop = unquoted_end(text, at, JUDGED, end);
    let least = if form == Form::Bare { 6 } else { 4 };
    if stop - at < least || !judge(text, at..stop, kind, form) {
        return None;
    }
    Some(
        at..if stop - at < JUDGED {
            stop
        } else {
            unquoted_end(text, at, usize::MAX, end)
        },
    )
}

fn unquoted_end(text: &Text<'_>, at: usize, max: usize, end: End) -> usize {
    let mut stop = at;
    let last = text.bytes.len().min(at.saturating_add(max));
    while stop < last {
        let inside = |b: u8| match end {
            End::Blank => !b.is_ascii_whitespace() && b != b'\\',
            End::Semicolon => !is_line_end(b) && !b"\"';\\".contains(&b),
            End::Parameter => !b.is_ascii_whitespace() && !b"\"'`\\&#<>,;".contains(&b),
            End::Next | End::Tag => !b.is_ascii_whitespace() && !b"\"'`\\,;&<".contains(&b),
        };
        stop = text.run(stop, last - stop, inside);
        if stop >= last || !continues_value(text, stop, end) {
            break;
        }
        stop += 1;
    }
    if end == End::Blank {
        stop
    } else {
        without_closers(text, at..stop)
    }
}

/// Returns true if the byte at `at` could end an unquoted value, but is part of it.
fn continues_value(text: &Text<'_>, at: usize, end: End) -> bool {
    let next = text.get(at + 1).unwrap_or(b'\n');
    match text.get(at) {
        Some(b'\\') => !next.is_ascii_whitespace() && !b"nrt\"'`\\".contains(&next),
        Some(b'<') => end == End::Next && next != b'/',
        Some(b',' | b'&') if matches!(end, End::Next | End::Tag) => {
            !next.is_ascii_whitespace()
                && !b"\"'`)]}>[({".contains(&next)
                && !is_named(text, at + 1)
        }
        _ => false,
    }
}

/// Returns true for a name and an assignment sign at `at`.
fn is_named(text: &Text<'_>, at: usize) -> bool {
    let end = text.run(at, 40, |b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
    end > at && matches!(text.get(end), Some(b'=' | b':'))
}

/// Strips closing brackets opened before the value. In a signature such as `password: bytes):`,
/// also strips the colon.
fn without_closers(text: &Text<'_>, range: Range<usize>) -> usize {
    let mut end = range.end;
    if text.slice(range.clone()).ends_with(b"):") {
        end -= 1;
    }
    while end > range.start {
        let open = match text.bytes[end - 1] {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => break,
        };
        let from = range.start.max(end.saturating_sub(JUDGED));
        if text.window(from, end - from).contains(&open) {
            break;
        }
        end -= 1;
    }
    end
}

/// Finds the content of the YAML block (`|` or `>` and indented lines) at `at`, if it is a secret.
pub(crate) fn block(text: &Text<'_>, name: usize, at: usize, kind: Kind) -> Option<Range<usize>> {
    if !matches!(text.get(at), Some(b'|' | b'>')) || !is_on("redact.block") {
        return None;
    }
    let head = text.run(at + 1, 3, |b| b"+-123456789".contains(&b));
    let head = text.blanks(head);
    let after = match text.get(head)? {
        b'#' => text.run(head, JUDGED, |b| !is_line_end(b)),
        _ => head,
    };
    if !text.get(after).is_some_and(is_line_end) {
        return None;
    }
    let line = line_start(text, name);
    // A list's dash counts as indentation, just like the key's own in `- name: |`.
    let indent = text.run(line, LINE_BEFORE, |b| is_blank(b) || b == b'-') - line;
    let judged = trimmed(text, after..block_end(text, after, indent, JUDGED));
    // A generated value is a single word, so rejoin its lines.
    let value = literal_of(text.window(judged.start, judged.len()), kind);
    if judged.len() < 4 || !is_secret(kind, Form::Literal, &value) {
        return None;
    }
    let whole = after..block_end(text, after, indent, usize::MAX);
    Some(trimmed(text, whole))
}

fn literal_of(block: &[u8], kind: Kind) -> String {
    let value = judged(block);
    match kind {
        Kind::Access | Kind::Token | Kind::Key => value.split_whitespace().collect(),
        _ => value.into_owned(),
    }
}

/// Finds the end of the lines indented by more than `indent`, up to `max` bytes further on. The
/// result is a line end, unless the first line alone is longer than `max`.
fn block_end(text: &Text<'_>, from: usize, indent: usize, max: usize) -> usize {
    let last = text.bytes.len().min(from.saturating_add(max));
    let mut end = from;
    while end < last {
        let line = text.run(end, 2, is_line_end);
        let content = text.run(line, last.saturating_sub(line), is_blank);
        let stop = text.run(content, last.saturating_sub(content), |b| !is_line_end(b));
        if (content < stop && content - line <= indent) || stop == end {
            break;
        }
        end = stop;
    }
    end
}

/// Strips one pair of the marks around a value: `**…**`, `` `…` ``, `'…'`, `"…"`.
pub(crate) fn unmarked(text: &Text<'_>, value: Range<usize>) -> Range<usize> {
    const MARKS: [&[u8]; 5] = [b"**", b"`", b"'", b"*", b"\""];
    let bytes = text.slice(value.clone());
    for mark in MARKS {
        let inside = bytes.strip_prefix(mark).and_then(|b| b.strip_suffix(mark));
        if let Some(inside) = inside.filter(|inside| !inside.is_empty()) {
            let start = value.start + mark.len();
            return start..start + inside.len();
        }
    }
    value
}

pub(crate) fn trimmed(text: &Text<'_>, range: Range<usize>) -> Range<usize> {
    let bytes = text.slice(range.clone());
    let end = range.start + bytes.trim_ascii_end().len();
    let start = range.end - bytes.trim_ascii_start().len();
    start.min(end)..end
}

pub(crate) fn judge(text: &Text<'_>, range: Range<usize>, kind: Kind, form: Form) -> bool {
    is_secret(
        kind,
        form,
        &judged(text.window(range.start, range.len().min(JUDGED))),
    )
}

/// Decodes the first [`JUDGED`] bytes of a value, leaving out filler.
pub(crate) fn judged(value: &[u8]) -> Cow<'_, str> {
    visible(&value[..value.len().min(JUDGED)])
}
