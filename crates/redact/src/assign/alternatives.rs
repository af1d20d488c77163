//! Alternative literals in an expression: defaults (`env.X || "…"`, `get("X", "…")`,
//! `.unwrap_or("…")`), branches (`a ? "…" : "…"`) and concatenated literals (`"…" + "…"`).
//!
//! We do not parse the expression. A literal counts if the text in front introduces a value, by the
//! patterns in `data/shapes.toml`. Literals in comparisons and keys do not count: in
//! `mode == "prod" ? "…" : ""`, `"prod"` is left alone.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{JUDGED, end_of, is_quoted, quoted};
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::value::shape::shapes;

/// Maximum length of an expression, in bytes.
const EXPRESSION: usize = 256;

/// Finds the secrets among the literals of the expression at `at`.
///
/// A default or a branch is judged in this `form`, a later argument as [`Form::Argument`]. With
/// `may_break`, the expression may continue on the next line.
pub(crate) fn secrets(
    text: &Text<'_>,
    at: usize,
    (kind, form): (Kind, Form),
    mut may_break: bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let limit = text.bytes.len().min(at.saturating_add(EXPRESSION));
    // Most expressions contain no literal at all, so don't bother walking them.
    let quote = memchr::memchr3(b'"', b'\'', b'`', &text.bytes[at.min(limit)..limit]);
    if quote.is_none() || !is_on("redact.expression") {
        return found;
    }
    let (mut next, mut is_rest) = (at, false);
    while let Some(b) = text.get(next).filter(|_| next < limit) {
        let before = text.slice(at..next);
        if is_line_end(b) {
            if !std::mem::take(&mut may_break) || !continues(text, before, next) {
                break;
            }
            next = text.white(next);
            continue;
        }
        // In Perl, `//` introduces a default. In most other languages, it's a comment.
        let is_slash = text.starts_with(next, b"//") && !is_quoted(text, text.blanks(next + 2));
        let is_comment = b == b'#' && before.last().is_some_and(|b| is_blank(*b));
        if b == b';' || is_slash || is_comment {
            break;
        }
        // After a comma, only an argument in the place of a default can be a value.
        is_rest |= b == b',';
        if !b"\"'`\\".contains(&b) || !is_quoted(text, next) {
            next += 1;
            continue;
        }
        let end = end_of(text, next, next + JUDGED);
        // The first literal may have a prefix, e.g. `b"…"`.
        let is_first = before
            .iter()
            .all(|b| b.is_ascii_alphabetic() || b"&@$#".contains(b));
        let form = match before {
            _ if is_first => Some(form),
            _ if end.is_some_and(|end| is_key_or_compared(text, before, end)) => None,
            _ if shapes().introduces_argument.is_in(before) => Some(Form::Argument),
            _ => (!is_rest && shapes().introduces.is_in(before)).then_some(form),
        };
        found.extend(form.and_then(|form| quoted(text, next, kind, form)));
        let Some(end) = end else { break };
        next = end;
    }
    found
}

/// Returns true if `||`, `or`, a method or a template filter at `at` introduces an alternative
/// value. The name of the secret, including its quotes and brackets, ends at `closed`.
pub(crate) fn has_alternative(text: &Text<'_>, closed: usize, at: usize) -> bool {
    let is_word = |word: &[u8]| text.starts_with(at, word) && at > closed;
    text.starts_with(at, b"||")
        || text.starts_with(at, b"??")
        || (is_word(b"//") && is_quoted(text, text.blanks(at + 2)))
        || is_word(b"or ")
        || is_word(b"| ")
        || (text.get(at) == Some(b'.') && at == closed)
}

/// Returns true if an expression, already read up to `before`, continues after the line end at
/// `at`.
fn continues(text: &Text<'_>, before: &[u8], at: usize) -> bool {
    const SIGNS: [&[u8]; 7] = [b"||", b"?", b"+", b".", b":", b"or ", b"else "];
    let last = before.trim_ascii_end().last();
    let next = text.white(at);
    last.is_none_or(|b| b"=:?|+({\\".contains(b))
        || SIGNS.iter().any(|sign| text.starts_with(next, sign))
}

/// Returns true if the literal between `before` and `end` is part of a comparison or used as a key.
fn is_key_or_compared(text: &Text<'_>, before: &[u8], end: usize) -> bool {
    const SIGNS: [&[u8]; 7] = [b"==", b"!=", b"=>", b"in ", b"not ", b".join(", b".test("];
    let next = text.blanks(end);
    SIGNS.iter().any(|sign| text.starts_with(next, sign))
        || (text.get(next) == Some(b':') && !before.contains(&b'?'))
}
