//! Text tables with column names in a line above the rows (`user,password`). Commas, semicolons,
//! tabs or bars separate the columns.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{judge, line_start, trimmed, unmarked};
use crate::assign::named::Name;
use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, after_line, is_blank, is_line_end};
use crate::value::Form;
use crate::words::words;

const MAX_COLUMNS: usize = 64;

/// Maximum length of a column's name, in bytes.
const HEAD: usize = 64;

/// Maximum length of a quoted field with line ends, in bytes.
const FIELD: usize = 4096;

/// Minimum length of a value, in bytes.
const SHORTEST: usize = 6;

/// Finds the secrets in the rows below a table's header, and the end of the last row.
///
/// All columns are covered by the call for the header's first column of secrets. If `name` is in a
/// row itself, such as `| password | … |`, the secret is in the next cell.
pub(crate) fn secrets(text: &Text<'_>, name: &Name, closed: usize) -> (Vec<Range<usize>>, usize) {
    let line = line_start(text, name.start);
    let mut found: Vec<_> = beside(text, name, line).into_iter().collect();
    // The file may begin with a byte order mark.
    let start = line
        + if text.starts_with(line, b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
    let next = text.get(text.run(closed, 8, |b| b"*_ ".contains(&b)));
    let is_head_end = next.is_none_or(|b| is_line_end(b) || b",;\t|".contains(&b));
    let is_line = line == 0 || is_line_end(text.bytes[line - 1]);
    if !found.is_empty() || !is_head_end || !is_line {
        return (found, name.end);
    }
    let first = text.run(start, MAX_COLUMNS * HEAD, |b| {
        !is_line_end(b) && !b",;\t|".contains(&b)
    });
    let separator = text.get(first).filter(|b| !is_line_end(*b));
    let Some(separator) = separator.filter(|_| is_on("redact.table")) else {
        return (found, name.end);
    };
    let (heads, mut end) = cells(text, start, separator);
    let kind = |head: &Range<usize>| kind_of(text.slice(head.clone()));
    let kinds: Vec<Option<Kind>> = heads.iter().map(kind).collect();
    let secret = kinds.iter().position(Option::is_some);
    // The call for the first column of secrets covers the whole table.
    let is_first = secret.is_some_and(|at| heads[at].contains(&name.start));
    // The first column may have no name, for example if it contains row numbers. Bars at the ends
    // of a row have empty cells outside of them.
    let may_be_empty = |at: usize| at == 0 || separator == b'|';
    let mut numbered = heads.iter().enumerate();
    let are_heads =
        numbered.all(|(at, head)| is_head(text, head) || (head.is_empty() && may_be_empty(at)));
    let is_code = begins_statement(text.slice(start..end));
    if !is_first || heads.len() < 2 || !are_heads || is_code {
        return (found, name.end);
    }
    end = rows(text, end, separator, (&kinds, Form::Bare), &mut found);
    (found, end)
}

/// Adds the secrets in the rows below the line that ends at `end`, and returns the end of the last
/// row. `kinds` has the kind of secret in each column, if any, and values are judged in this `form`.
pub(crate) fn rows(
    text: &Text<'_>,
    mut end: usize,
    separator: u8,
    (kinds, form): (&[Option<Kind>], Form),
    found: &mut Vec<Range<usize>>,
) -> usize {
    let mut line = after_line(text, end);
    while line < text.bytes.len() {
        let (row, row_end) = cells(text, line, separator);
        // A rule such as `|---|---|` may have another number of cells. A table in a dump ends with
        // `\.`, even if it has only one column.
        let is_other = row.len() != kinds.len() || text.starts_with(line, b"\\.");
        if is_other && !is_rule(text.slice(line..row_end)) {
            break;
        }
        for (cell, kind) in row.iter().zip(kinds) {
            let value = unmarked(text, cell.clone());
            if let Some(kind) = kind
                && value.len() >= SHORTEST
                && judge(text, value.clone(), *kind, form)
            {
                found.push(value);
            }
        }
        end = row_end;
        line = after_line(text, end);
    }
    end
}

/// Finds the secret in the cell after `name`, provided that `name` is the first cell of its row, as
/// in `| password | … |`.
fn beside(text: &Text<'_>, name: &Name, line: usize) -> Option<Range<usize>> {
    let bar = text.get(text.blanks(line)) == Some(b'|');
    if !bar || name.start - line > HEAD || !is_on("redact.table_beside") {
        return None;
    }
    let (cells, _) = cells(text, line, b'|');
    let [_, first, second, ..] = cells.as_slice() else {
        return None;
    };
    let value = unmarked(text, second.clone());
    let is_secret = first.contains(&name.start)
        && unmarked(text, first.clone()).end == name.end
        && value.len() >= SHORTEST
        && judge(text, value.clone(), name.kind, Form::Bare);
    is_secret.then_some(value)
}

/// Splits the line at `at` into fields, and also returns its end. A quoted field may contain
/// separators and line ends.
fn cells(text: &Text<'_>, at: usize, separator: u8) -> (Vec<Range<usize>>, usize) {
    let mut cells = Vec::new();
    let mut start = at;
    loop {
        let first = text.run(start, HEAD, |b| is_blank(b) && b != separator);
        let is_quoted = text.get(first) == Some(b'"');
        let inside = |b: u8| !is_line_end(b) && b != if is_quoted { b'"' } else { separator };
        let close = match is_quoted.then(|| closing_quote(text, first + 1)).flatten() {
            Some(close) => close,
            None => text.run(first + usize::from(is_quoted), usize::MAX, inside),
        };
        let end = text.run(close, usize::MAX, |b| !is_line_end(b) && b != separator);
        cells.push(trimmed(text, start..end));
        if text.get(end).is_none_or(is_line_end) || cells.len() > MAX_COLUMNS {
            return (cells, end);
        }
        start = end + 1;
    }
}

/// Finds the closing quote of a field with its content at `at`, skipping doubled ones. `None` for a
/// field longer than [`FIELD`].
fn closing_quote(text: &Text<'_>, at: usize) -> Option<usize> {
    let last = at + FIELD;
    let mut close = at;
    loop {
        close = text.run(close, last.checked_sub(close)?, |b| b != b'"');
        if !text.starts_with(close, b"\"\"") {
            return (text.get(close) == Some(b'"')).then_some(close);
        }
        close += 2;
    }
}

/// Returns true if the cell may be a column's name, i.e. a few words.
fn is_head(text: &Text<'_>, cell: &Range<usize>) -> bool {
    let head = text.slice(unmarked(text, cell.clone()));
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.- *`".contains(b);
    let is_name = head
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || b"*`".contains(b));
    is_name && head.len() <= HEAD && head.iter().all(in_name)
}

/// Returns true if a line only separates rows of a table, e.g. `+----+----+`.
fn is_rule(line: &[u8]) -> bool {
    line.iter().any(|b| b"-=".contains(b)) && line.iter().all(|b| b"-=+|: ".contains(b))
}

/// Returns true for a line of code with words that may be separated by commas as well, such as
/// `SELECT id, password`.
fn begins_statement(line: &[u8]) -> bool {
    let mut words = line.trim_ascii_start().split(|b| is_blank(*b));
    let first = words.next().unwrap_or_default();
    let has_more = words.next().is_some_and(|word| !word.is_empty());
    has_more && self::words().sql_first.has_any_case(first)
}
