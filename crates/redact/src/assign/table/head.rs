//! The head of a column, and the kind of secret it promises.

use super::SEPARATORS;
use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::words::words;

/// Maximum length of a column's head, in bytes.
pub(super) const HEAD: usize = 64;

/// True if the cell may be the head of a column, which has a few words.
pub(super) fn is_head(cell: &[u8]) -> bool {
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.- ".contains(b);
    cell.len() <= HEAD
        && cell.first().is_some_and(u8::is_ascii_alphabetic)
        && cell.iter().all(in_name)
}

/// True if the cell may be the head of a column beside one of secrets, in a text already known to
/// have columns. It may be empty or have a few words with signs, in any language.
pub(super) fn may_be_head(cell: &[u8]) -> bool {
    let in_head =
        |b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii() || b"_.- /()#?&%:'*`+@!>".contains(b);
    let words = cell.split(|b| is_blank(*b)).count();
    let opened = cell.iter().filter(|b| **b == b'(').count();
    let closed = cell.iter().filter(|b| **b == b')').count();
    cell.len() <= HEAD && words <= 6 && opened == closed && cell.iter().all(in_head)
}

/// Returns the kind of secret in a column with this head.
pub(super) fn kind_of_head(cell: &[u8]) -> Option<Kind> {
    let name = cell.strip_prefix("\u{feff}".as_bytes()).unwrap_or(cell);
    let name = name.strip_prefix(b"> ").unwrap_or(name);
    // As in `password (temporary)`.
    let name = match memchr::memchr(b'(', name) {
        Some(open) if name.ends_with(b")") && open > 0 => &name[..open],
        _ => name,
    };
    let is_mark = |b: &u8| b"*_`' ".contains(b);
    let first = name.iter().take_while(|b| is_mark(b)).count();
    let last = name.iter().rev().take_while(|b| is_mark(b)).count();
    let name = name.get(first..name.len() - last).unwrap_or_default();
    is_head(name).then(|| kind_of(name)).flatten()
}

/// True if a column's head may end after a name that ends at `closed`. A few words in brackets and
/// marks may still follow.
pub(super) fn is_end_of_head(text: &Text<'_>, closed: usize) -> bool {
    let next = text.run(closed, HEAD, |b| b"*_ ".contains(&b));
    let next = if text.get(next) == Some(b'(') {
        let inside = text.run(next, HEAD, |b| b != b')' && !is_line_end(b));
        text.run(inside + 1, HEAD, |b| b"*_`\"' ".contains(&b))
    } else {
        next
    };
    let sign = text.get(next);
    sign.is_none_or(|b| is_line_end(b) || SEPARATORS.contains(&b))
}

/// True for a line of code, which may also have words separated by commas, as in
/// `SELECT id, password` and `from x import user, password`.
pub(super) fn begins_statement(line: &[u8]) -> bool {
    let mut words = line.trim_ascii_start().split(|b| is_blank(*b));
    let first = words.next().unwrap_or_default();
    let has_more = words.next().is_some_and(|word| !word.is_empty());
    has_more && self::words().sql_first.has_any_case(first)
}
