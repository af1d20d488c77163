//! Rows of SQL. These are the values that
//! `INSERT INTO users (name, password) VALUES ('bob', '…'), …` puts into columns promising a
//! secret. In PostgreSQL dumps, they're the lines below `COPY users (name, password) FROM stdin;`.

use std::ops::Range;

use crate::assign::literal::judge;
use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, after_line, is_line_end};
use crate::value::Form;

/// Maximum depth of brackets in a value.
const DEPTH: usize = 8;

/// Each column's kind, if its name promises a secret.
type Columns = [Option<Kind>];

/// Adds the secrets in the rows behind `matched`, which ends with the names of the columns. Returns
/// the end of the rows.
pub(super) fn read(text: &Text<'_>, matched: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let head = text.slice(matched.clone());
    let names = memchr::memrchr(b'(', head).map_or(&head[..0], |open| &head[open + 1..]);
    let names = memchr::memchr(b')', names).map_or(names, |close| &names[..close]);
    let quote = |b: &u8| b.is_ascii_whitespace() || b"\"`'[]\\".contains(b);
    let kind = |name: &[u8]| {
        let first = name.iter().take_while(|b| quote(b)).count();
        let last = name.iter().rev().take_while(|b| quote(b)).count();
        kind_of(name.get(first..name.len() - last).unwrap_or_default())
    };
    let columns: Vec<_> = names.split(|b| *b == b',').map(kind).collect();
    if columns.iter().all(Option::is_none) {
        matched.end
    } else if head[0].eq_ignore_ascii_case(&b'c') {
        copied(text, matched.end, &columns, found)
    } else {
        values(text, matched.end, &columns, found)
    }
}

/// Reads rows of values in brackets.
fn values(
    text: &Text<'_>,
    mut at: usize,
    columns: &Columns,
    found: &mut Vec<Range<usize>>,
) -> usize {
    loop {
        at = after_comments(text, at);
        if text.get(at) != Some(b'(') {
            return at;
        }
        let mut columns = columns.iter();
        loop {
            let value = Value::at(text, at + 1);
            at = value.end;
            if let Some(kind) = columns.next().copied().flatten() {
                found.extend(value.secret(text, kind));
            }
            match text.get(at) {
                Some(b',') => {}
                Some(b')') => break,
                _ => return at,
            }
        }
        at = text.white(at + 1);
        if text.get(at) != Some(b',') {
            return at;
        }
        at += 1;
    }
}

/// Reads lines with as many tab-separated columns.
fn copied(
    text: &Text<'_>,
    mut line: usize,
    columns: &Columns,
    found: &mut Vec<Range<usize>>,
) -> usize {
    while line < text.bytes.len() && !text.starts_with(line, b"\\.") {
        let end = text.run(line, usize::MAX, |b| !is_line_end(b));
        let row = text.slice(line..end);
        // The next line isn't a row, so the statement is only quoted in a text about it.
        if row.is_empty() || row.split(|b| *b == b'\t').count() != columns.len() {
            break;
        }
        let mut at = line;
        for (value, kind) in row.split(|b| *b == b'\t').zip(columns) {
            let value = at..at + value.len();
            at = value.end + 1;
            if let Some(kind) = *kind
                && value.len() >= 4
                && judge(text, value.clone(), kind, Form::Literal)
            {
                found.push(value);
            }
        }
        line = after_line(text, end);
    }
    line
}

/// A value of a row, which is a literal, or an expression with its first literal.
struct Value {
    literal: Option<Range<usize>>,
    /// True if the value is nothing but the literal.
    is_alone: bool,
    /// The end of the value, at the separator before the next one or at the last readable position.
    end: usize,
}

impl Value {
    /// Returns the value that begins at `at`.
    fn at(text: &Text<'_>, at: usize) -> Self {
        let mut at = text.white(at);
        let mut value = Self {
            literal: None,
            is_alone: true,
            end: at,
        };
        let mut depth = 0_usize;
        while let Some(b) = text.get(at) {
            match b {
                b',' | b')' if depth == 0 => break,
                b';' => break,
                b'(' if depth == DEPTH => break,
                b'\'' | b'"' => {
                    let close = closing(text, at + 1, b);
                    // We only know a cut literal up to the end of its line.
                    let is_cut = text.get(close).is_none();
                    let line = || text.run(at + 1, usize::MAX, |b| !is_line_end(b));
                    let literal_end = if is_cut { line() } else { close };
                    value.literal.get_or_insert(at + 1..literal_end);
                    at = close;
                    if is_cut {
                        break;
                    }
                }
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            // A prefix that tells how the literal is written, as in `N'…'` and `E'…'`.
            let is_prefix = b.is_ascii_alphabetic() && text.get(at + 1) == Some(b'\'');
            value.is_alone &= b"'\"".contains(&b) || b.is_ascii_whitespace() || is_prefix;
            at = text.run(at, 1, |_| true);
        }
        value.end = at;
        value
    }

    fn secret(self, text: &Text<'_>, kind: Kind) -> Option<Range<usize>> {
        let form = if self.is_alone {
            Form::Literal
        } else {
            Form::Argument
        };
        self.literal
            .filter(|value| value.len() >= 4 && judge(text, value.clone(), kind, form))
    }
}

/// Returns the offset of the next text after blanks and comments (`-- …`).
fn after_comments(text: &Text<'_>, at: usize) -> usize {
    let mut at = text.white(at);
    while text.starts_with(at, b"--") {
        at = text.white(text.run(at, usize::MAX, |b| !is_line_end(b)));
    }
    at
}

/// Returns the `quote` that ends the literal whose text begins at `from`. A doubled quote is part
/// of the literal.
fn closing(text: &Text<'_>, from: usize, quote: u8) -> usize {
    let mut at = from;
    loop {
        at = text.run(at, usize::MAX, |b| b != quote && b != b'\\');
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(_) if text.get(at + 1) == Some(quote) => at += 2,
            _ => return at.min(text.bytes.len()),
        }
    }
}
