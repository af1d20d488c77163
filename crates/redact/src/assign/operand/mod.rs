//! Values that an expression gives beside others: defaults (`env.X || "…"`, `get("X", "…")`, `.unwrap_or("…")`), branches
//! (`a ? "…" : "…"`, `x if y else "…"`), and literals that are put together (`"…" + "…"`). Lists are read the same way, further.
//!
//! An expression is read token by token, only as far as to know which of its literals may be its value: one behind a sign
//! or a word that gives another value, and not one that something is compared with or asked for by.

mod brackets;
mod joined;
mod operators;
mod reader;

use std::ops::Range;

use self::reader::Reader;
use crate::assign::list_reach::Reach;
use crate::assign::literal::is_quoted;
use crate::name::Kind;
use crate::scanned_text::{Text, is_blank};

/// How far an expression is read, in bytes.
const EXPRESSION: usize = 256;

/// How the values of a list may stand that have no quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// Not at all.
    Quoted,
    /// Between commas, or on lines of their own: in YAML.
    Parted,
    /// Between blanks: in a shell, in `qw(…)`.
    Blank,
}

/// Where the reading of an expression begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// With the expression; whether its line is that of the name it is given to.
    Start { own_line: bool },
    /// With the first bracket of a list, whose values stand between quotes or not.
    List(Words),
    /// Behind a part of it, the name of a secret; whether that is a word that sentences have as well, and whether it is a
    /// variable, behind which words may stand that tell that there is no secret.
    Name { is_word: bool, is_variable: bool },
}

/// The secrets that the expression at `at` may give.
pub(crate) fn secrets(text: &Text<'_>, at: usize, kind: Kind, from: From) -> Vec<Range<usize>> {
    let end = text.bytes.len().min(at.saturating_add(EXPRESSION));
    // Most have no literal at all.
    if memchr::memchr3(b'"', b'\'', b'`', &text.bytes[at.min(end)..end]).is_none() {
        return Vec::new();
    }
    Reader::new(text, kind, from, at..end).read().0
}

/// The secrets of the list whose bracket opens at `at`, each judged by itself, and where it was read to: to its end, or where it
/// can be none.
pub(crate) fn listed(
    text: &Text<'_>,
    at: usize,
    kind: Kind,
    words: Words,
) -> (Vec<Range<usize>>, usize) {
    let mut reach = Reach::from(text, at);
    let end = reach.end(text, at, 0);
    Reader::new(text, kind, From::List(words), at..end).read_on(&mut reach)
}

/// Whether what stands at `at`, behind the name of a secret that `closed` ends, says what is taken in its place: `||`,
/// `or`, a method, a filter of a template.
pub(crate) fn goes_on(text: &Text<'_>, closed: usize, at: usize) -> bool {
    text.starts_with(at, b"||")
        || text.starts_with(at, b"??")
        || (text.starts_with(at, b"//") && at > closed && is_quoted(text, text.blanks(at + 2)))
        || (text.starts_with(at, b"or") && text.get(at + 2).is_some_and(is_blank) && at > closed)
        || (text.get(at) == Some(b'.') && at == closed)
        || (text.get(at) == Some(b'|') && text.get(at + 1).is_some_and(is_blank) && at > closed)
}
