//! Rows of SQL: the values for columns that promise a secret, in
//! `INSERT INTO users (name, password) VALUES ('bob', '…'), …` or, in PostgreSQL dumps, on the
//! lines below `COPY users (name, password) FROM stdin;`.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::judge;
use crate::assign::table;
use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_line_end};
use crate::value::Form;

/// Maximum depth of brackets in a value.
const DEPTH: usize = 8;

/// Adds the secrets in the rows after `matched`, i.e. after the column names. Returns the end of
/// the rows.
pub(super) fn read(text: &Text<'_>, matched: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let head = text.slice(matched.clone());
    let names = memchr::memrchr(b'(', head).map_or(&head[..0], |open| &head[open + 1..]);
    let names = memchr::memchr(b')', names).map_or(names, |close| &names[..close]);
    let columns: Vec<_> = names.split(|b| *b == b',').map(kind_of).collect();
    if columns.iter().all(Option::is_none) || !is_on("redact.sql_rows") {
        matched.end
    } else if head[0].eq_ignore_ascii_case(&b'c') {
        table::rows(
            text,
            matched.end - 1,
            b'\t',
            (&columns, Form::Literal),
            found,
        )
    } else {
        values(text, matched.end, &columns, found)
    }
}

/// Reads rows in brackets. A literal inside a call may be a label, so it is judged more strictly.
fn values(
    text: &Text<'_>,
    mut at: usize,
    columns: &[Option<Kind>],
    found: &mut Vec<Range<usize>>,
) -> usize {
    let (mut depth, mut column) = (0_usize, 0);
    while let Some(b) = text.get(at) {
        let kind = columns.get(column).copied().flatten();
        match b {
            b'\'' | b'"' => {
                let close = closing(text, at + 1, b);
                // The text ends within the literal, so only the rest of its line is known.
                let is_cut = text.get(close).is_none();
                let line = || text.run(at + 1, usize::MAX, |b| !is_line_end(b));
                let value = at + 1..if is_cut { line() } else { close };
                let form = match depth {
                    1 => Form::Literal,
                    _ => Form::Argument,
                };
                let is_secret = |kind| value.len() >= 4 && judge(text, value.clone(), kind, form);
                if kind.is_some_and(is_secret) {
                    found.push(value);
                }
                at = close;
            }
            b'(' => {
                column = if depth == 0 { 0 } else { column };
                depth += 1;
            }
            b')' => depth = depth.saturating_sub(1),
            b',' => column += usize::from(depth == 1),
            b'-' if text.starts_with(at, b"--") => {
                at = text.run(at, usize::MAX, |b| !is_line_end(b));
            }
            _ if b == b';' || depth > DEPTH => break,
            _ if depth == 0 && !b.is_ascii_whitespace() => break,
            _ => {}
        }
        at = text.run(at, 1, |_| true).max(at + 1).min(text.bytes.len());
    }
    at
}

/// Finds the closing `quote` of the literal with its content at `from`. Doubled quotes are content.
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
