//! Finds the ends of values, according to the syntax they're written in.

use std::borrow::Cow;
use std::ops::Range;

use crate::hidden::visible;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::generated::is_generated;
use crate::value::{Form, is_secret};

/// Length of the part of a value that we judge, in bytes.
pub(crate) const JUDGED: usize = 256;

/// Maximum length of a multi-line literal, in bytes.
pub(crate) const MAX_LINES: usize = 64 << 10;

/// Maximum number of bytes read backwards on a line to find a value's context.
const LINE_BEFORE: usize = 512;

/// The opening of a quoted literal.
struct Opening {
    /// Start of the value.
    start: usize,
    quote: u8,
    /// Number of backslashes before the quote. There are one or more in a literal within a literal.
    escapes: usize,
    /// True if the literal has three quotes.
    triple: bool,
}

/// Returns the secret in the quoted literal at `at`, if there's one.
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
    let max = if opening.triple {
        MAX_LINES
    } else {
        usize::MAX
    };
    Some(judged.start..closing(text, &opening, max))
}

/// Returns the secret in the quoted or unquoted literal at `at`, if there's one.
pub(crate) fn any(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    if is_quoted(text, at) {
        quoted(text, at, kind, Form::Literal)
    } else {
        unquoted(text, at, kind, Form::Bare, End::Next)
    }
}

/// Returns the secret in brackets that open at `at`, or behind a sign that continues the line, as
/// in `["…", "…"]` or `("…"`. For a list on one line, this is the range of all values from the
/// first secret on.
pub(crate) fn bracketed(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    let is_list = match text.get(at)? {
        b'[' => true,
        b'(' => false,
        b'\\' if text.get(at + 1).is_some_and(is_line_end) => {
            return quoted(text, text.white(at + 1), kind, Form::Literal);
        }
        _ => return None,
    };
    let first = text.white(at + 1);
    let found = quoted(text, first, kind, Form::Argument)?;
    if !is_list {
        return Some(found);
    }
    let line = text.run(found.end, JUDGED, |b| !is_line_end(b) && b != b']');
    let rest = text.slice(found.end..line);
    let last = memchr::memrchr2(b'"', b'\'', rest).map_or(found.end, |end| found.end + end);
    Some(found.start..last)
}

/// True if a quoted literal begins at `at`.
pub(crate) fn is_quoted(text: &Text<'_>, at: usize) -> bool {
    opening(text, at).is_some()
}

/// A quoted literal.
pub(crate) struct Span {
    /// Range of the value, without its quotes.
    pub(crate) value: Range<usize>,
    /// End of the literal, after its quotes.
    pub(crate) end: usize,
}

/// Returns the quoted literal at `at`, if it ends within the part we judge.
pub(crate) fn span(text: &Text<'_>, at: usize) -> Option<Span> {
    let opening = opening(text, at)?;
    let close = closing(text, &opening, JUDGED);
    let quotes = text.run(close, opening.escapes, |b| b == b'\\');
    let count = if opening.triple { 3 } else { 1 };
    (text.run(quotes, count, |b| b == opening.quote) == quotes + count).then(|| Span {
        value: opening.start..close,
        end: quotes + count,
    })
}

/// Returns the end of the quoted literal at `at`, including its quotes, if that's before `limit`.
pub(crate) fn end_of(text: &Text<'_>, at: usize, limit: usize) -> Option<usize> {
    let opening = opening(text, at)?;
    let close = closing(text, &opening, limit.saturating_sub(opening.start));
    let quotes = text.run(close, opening.escapes, |b| b == b'\\');
    let end = quotes + if opening.triple { 3 } else { 1 };
    let is_closed = text.run(quotes, end - quotes, |b| b == opening.quote) == end;
    (is_closed && end <= limit).then_some(end)
}

/// Reads the opening of a literal. Up to three characters may come before the quote, as in `b"…"`,
/// `&"…"`, `@"…"` and `r#"…"`.
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

/// Counts the quotes of one kind on the line before `at`.
fn quotes_before(text: &Text<'_>, at: usize, quote: u8, escaped: bool) -> usize {
    let start = line_start(text, at);
    let line = text.slice(start..at);
    let is_escaped = |at: usize| at > 0 && line[at - 1] == b'\\';
    memchr::memchr_iter(quote, line)
        .filter(|at| is_escaped(*at) == escaped)
        .count()
}

/// Returns the start of the line with `at`, or the limit of the backward search.
pub(crate) fn line_start(text: &Text<'_>, at: usize) -> usize {
    let window = text.window(at.saturating_sub(LINE_BEFORE), at.min(LINE_BEFORE));
    at - window.len() + memchr::memrchr2(b'\n', b'\r', window).map_or(0, |end| end + 1)
}

/// True if `at` is between double quotes, going by its line alone.
pub(crate) fn is_in_string(text: &Text<'_>, at: usize) -> bool {
    quotes_before(text, at, b'"', false) % 2 == 1
}

/// Returns the end of a literal, at most `max` bytes further on. That's its quote or the end of its
/// line, whichever comes first. A literal in three quotes or in backticks may span lines.
fn closing(text: &Text<'_>, opening: &Opening, max: usize) -> usize {
    let Opening {
        start,
        quote,
        escapes,
        triple,
    } = *opening;
    let window = &text.bytes[start..text.bytes.len().min(start.saturating_add(max))];
    let mut backslashes = 0;
    let mut at = 0;
    while let Some(b) = window.get(at) {
        match *b {
            b'\\' => backslashes += 1,
            b'\n' | b'\r' if !triple && quote != b'`' => break,
            b if b == quote => {
                // Inside `n` literals, the innermost one's quotes have 2^n - 1 backslashes, and the
                // quotes escaped in it have more.
                let own = backslashes % (2 * (escapes + 1)) == escapes;
                let outer = backslashes < escapes;
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

/// Ways in which an unquoted value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// At a blank, whatever comes before it, as on a line of an environment file.
    Blank,
    /// At a blank, a quote or a comma.
    Next,
    /// At a semicolon or a quote, as in a connection string.
    Semicolon,
    /// At the next parameter, as in a URL.
    Parameter,
}

/// Returns the secret in the unquoted value at `at`, if there's one.
pub(crate) fn unquoted(
    text: &Text<'_>,
    at: usize,
    kind: Kind,
    form: Form,
    end: End,
) -> Option<Range<usize>> {
    if matches!(end, End::Next | End::Blank)
        && let Some(made) = generated_word(text, at, kind, form)
    {
        return Some(made);
    }
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

/// Returns the generated password at `at`, up to the next blank. It may contain characters that end
/// other values.
fn generated_word(text: &Text<'_>, at: usize, kind: Kind, form: Form) -> Option<Range<usize>> {
    if !matches!(kind, Kind::Password | Kind::Pass) {
        return None;
    }
    let word = text.run(at, JUDGED, |b| !b.is_ascii_whitespace());
    let length = text
        .slice(at..word)
        .iter()
        .rev()
        .take_while(|b| b",;".contains(b));
    let range = at..without_closers(text, at..word - length.count());
    let value = judged(text.slice(range.clone()));
    let mut joints = memchr::memchr_iter(b'&', text.slice(range.clone()));
    let is_one = !joints.any(|joint| is_named(text, at + joint + 1));
    (is_one && is_generated(&value) && is_secret(kind, form, &value)).then_some(range)
}

fn unquoted_end(text: &Text<'_>, at: usize, max: usize, end: End) -> usize {
    let mut stop = at;
    let last = text.bytes.len().min(at.saturating_add(max));
    while stop < last {
        let inside = |b: u8| match end {
            End::Blank => !b.is_ascii_whitespace() && b != b'\\',
            End::Semicolon => !is_line_end(b) && !b"\"';\\".contains(&b),
            End::Parameter => !b.is_ascii_whitespace() && !b"\"'`\\&#<>,;".contains(&b),
            End::Next => !b.is_ascii_whitespace() && !b"\"'`\\,;&<".contains(&b),
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

/// True if the byte at `at` belongs to an unquoted value, although it could end one.
fn continues_value(text: &Text<'_>, at: usize, end: End) -> bool {
    let next = text.get(at + 1).unwrap_or(b'\n');
    match text.get(at) {
        Some(b'\\') => !next.is_ascii_whitespace() && !b"nrt\"'`\\".contains(&next),
        Some(b'<') => end == End::Next && next != b'/',
        Some(b',' | b'&') if end == End::Next => {
            !next.is_ascii_whitespace()
                && !b"\"'`)]}>[({".contains(&next)
                && !is_named(text, at + 1)
        }
        _ => false,
    }
}

/// True if there's a name and an assignment sign at `at`.
fn is_named(text: &Text<'_>, at: usize) -> bool {
    let end = text.run(at, 40, |b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
    end > at && matches!(text.get(end), Some(b'=' | b':'))
}

/// Returns the end of `range` without closing brackets that were opened before the value, and
/// without the colon of a signature such as `password: bytes):`.
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

/// Returns the rest of the line from `at` on, without a comment at its end. Returns `None` if it's
/// too long to judge.
pub(crate) fn rest_of_line(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let line = text.run(at, JUDGED, |b| !is_line_end(b));
    let comment = memchr::memmem::find(text.slice(at..line), b" #").map_or(line, |end| at + end);
    (line - at < JUDGED).then(|| trimmed(text, at..comment))
}

/// Returns the secret made of several words up to the end of the line, as allowed in YAML.
pub(crate) fn phrase(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    let line = text.run(at, JUDGED, |b| !is_line_end(b));
    let code = |b: &u8| b"\"`;={}<>\\".contains(b);
    if line - at >= JUDGED || text.window(at, line - at).iter().any(code) {
        return None;
    }
    let comment = memchr::memmem::find(text.slice(at..line), b" #").map_or(line, |end| at + end);
    let range = trimmed(text, at..comment);
    let words = text.slice(range.clone()).iter().any(|b| is_blank(*b));
    (words && judge(text, range.clone(), kind, Form::Phrase)).then_some(range)
}

/// Returns the secret in a YAML block (`|` or `>` and indented lines) at `at`.
pub(crate) fn block(text: &Text<'_>, name: usize, at: usize, kind: Kind) -> Option<Range<usize>> {
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
    // The dash of a list counts as indentation, like the key behind it in `- name: |`.
    let indent = text.run(line, LINE_BEFORE, |b| is_blank(b) || b == b'-') - line;
    let judged = trimmed(text, after..block_end(text, after, indent, JUDGED));
    // A generated value is a single word, even if it's broken over lines.
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

/// Returns the end of the lines indented by more than `indent`, at most `max` bytes further on. We
/// end at the end of a line, unless the first line is longer than that.
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

/// Returns a value without the signs that mark it: `**…**`, `` `…` ``, `'…'`, `"…"`.
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

/// Returns the part of a value that we judge.
pub(crate) fn judged(value: &[u8]) -> Cow<'_, str> {
    visible(&value[..value.len().min(JUDGED)])
}
