//! Tables of text, whose first line says what the columns are called (`user,password`): lines of as many columns follow, parted by
//! commas, semicolons, tabs or bars.

use std::ops::Range;

use super::assign::Name;
use super::list::after_line;
use super::literal::{MAX_LINES, judge, line_start};
use super::name::{Kind, kind_of};
use super::text::{Text, is_blank, is_line_end};
use super::value::Form;

/// What parts the columns.
pub(super) const SEPARATORS: &[u8] = b",;\t|";

/// The most columns.
const MAX_COLUMNS: usize = 64;

/// The longest head of a column, in bytes.
const HEAD: usize = 64;

/// A table, as its first line says.
struct Table {
    separator: u8,
    columns: usize,
    /// The columns that hold secrets.
    secret: Vec<(usize, Kind)>,
    /// Whether it begins the text, which is a file of nothing else then: what stands in quotes may go over several lines.
    is_file: bool,
    /// Where its first line ends.
    end: usize,
}

/// One field of a line.
struct Cell {
    value: Range<usize>,
    /// Where the separator behind it is, or the end of the line.
    end: usize,
}

/// How far tables were read.
#[derive(Default)]
pub(super) struct Tables {
    read: usize,
}

impl Tables {
    /// The secrets in the lines below the one that `name`, which ends at `closed`, stands in as the head of a column. The
    /// first name of a secret in that line gives those of all columns.
    pub(super) fn secrets(
        &mut self,
        text: &Text<'_>,
        name: &Name,
        closed: usize,
    ) -> Vec<Range<usize>> {
        let next = text.run(closed, HEAD, |b| b == b' ');
        let is_head = text
            .get(next)
            .is_none_or(|b| is_line_end(b) || SEPARATORS.contains(&b));
        if !is_head || name.start < self.read {
            return Vec::new();
        }
        let Some(table) = Table::headed(text, name) else {
            return Vec::new();
        };
        let (secrets, end) = table.rows(text);
        self.read = end;
        secrets
    }
}

impl Table {
    /// The table whose first line `name` stands in, as the first name of a secret there.
    fn headed(text: &Text<'_>, name: &Name) -> Option<Self> {
        let start = line_start(text, name.start);
        if start > 0 && !text.get(start - 1).is_some_and(is_line_end) {
            return None;
        }
        let line = text.run(start, MAX_COLUMNS * HEAD, |b| {
            !is_line_end(b) && !SEPARATORS.contains(&b)
        });
        let separator = text.get(line).filter(|b| !is_line_end(*b))?;
        let is_file = text.slice(0..start).trim_ascii().is_empty();
        let mut table = Self {
            separator,
            columns: 0,
            secret: Vec::new(),
            is_file,
            end: start,
        };
        let mut at = start;
        loop {
            let cell = table.cell(text, at);
            let head = text.slice(cell.value.clone());
            if let Some(kind) = kind_of_head(head) {
                if table.secret.is_empty() && !cell.value.contains(&name.start) {
                    return None;
                }
                table.secret.push((table.columns, kind));
            }
            let is_edge = separator == b'|' && head.is_empty();
            let is_known = is_head(head) || (is_edge && (at == start || ends(text, cell.end)));
            if !is_known || table.columns == MAX_COLUMNS {
                return None;
            }
            table.columns += 1;
            table.end = cell.end;
            if ends(text, cell.end) {
                break;
            }
            at = cell.end + 1;
        }
        let is_table = table.columns > 1 && !table.secret.is_empty();
        (is_table && !table.is_row(text, start)).then_some(table)
    }

    /// Whether what stands above the line at `start` is a line of as many columns, and of words: that line is one of several
    /// that say nothing of each other.
    fn is_row(&self, text: &Text<'_>, start: usize) -> bool {
        let Some(end) = start.checked_sub(1) else {
            return false;
        };
        let line = text.run_back(end, MAX_COLUMNS * HEAD, |b| !is_line_end(b));
        let cells = text.slice(line..end).split(|b| *b == self.separator);
        cells.clone().count() == self.columns
            && cells.into_iter().all(|cell| is_head(cell.trim_ascii()))
    }

    /// The secrets in the lines below the first, and where the last of them ends.
    fn rows(&self, text: &Text<'_>) -> (Vec<Range<usize>>, usize) {
        let mut secrets = Vec::new();
        let mut end = self.end;
        let mut line = self.after_rule(text, after_line(text, end));
        while line < text.bytes.len() {
            let known = secrets.len();
            let Some(row) = self.row(text, line, &mut secrets) else {
                secrets.truncate(known);
                break;
            };
            end = row;
            line = after_line(text, end);
        }
        (secrets, end)
    }

    /// Where the rows begin behind a line at `at` that only parts them from the head: `|---|---|`.
    fn after_rule(&self, text: &Text<'_>, at: usize) -> usize {
        let end = text.run(at, MAX_COLUMNS * HEAD, |b| b"-=+|: ".contains(&b));
        if self.separator == b'|' && end > at && ends(text, end) {
            after_line(text, end)
        } else {
            at
        }
    }

    /// Reads the line at `at`, and gives where it ends; none if it is no row: blank, or with fewer or more columns.
    fn row(&self, text: &Text<'_>, at: usize, secrets: &mut Vec<Range<usize>>) -> Option<usize> {
        let mut start = at;
        for column in 0..self.columns {
            let cell = self.cell(text, start);
            let secret = self.secret.iter().find(|(secret, _)| *secret == column);
            if let Some((_, kind)) = secret
                && self.is_secret(text, cell.value.clone(), *kind)
            {
                secrets.push(cell.value);
            }
            if ends(text, cell.end) {
                return (column + 1 == self.columns).then_some(cell.end);
            }
            start = cell.end + 1;
        }
        None
    }

    fn is_secret(&self, text: &Text<'_>, value: Range<usize>, kind: Kind) -> bool {
        let (form, least) = if self.is_file {
            (Form::Plain, 4)
        } else {
            (Form::Bare, 6)
        };
        value.len() >= least && judge(text, value, kind, form)
    }

    /// The field that begins at `at`.
    fn cell(&self, text: &Text<'_>, at: usize) -> Cell {
        let blank = |b: u8| is_blank(b) && b != self.separator;
        let start = text.run(at, HEAD, blank);
        if text.get(start) == Some(b'"')
            && let Some(close) = self.closing(text, start + 1)
        {
            let end = text.run(close + 1, HEAD, blank);
            if ends(text, end) || text.get(end) == Some(self.separator) {
                return Cell {
                    value: start + 1..close,
                    end,
                };
            }
        }
        let end = text.run(start, usize::MAX, |b| {
            b != self.separator && !is_line_end(b)
        });
        let length = text.slice(start..end).trim_ascii_end().len();
        Cell {
            value: start..start + length,
            end,
        }
    }

    /// The quote that ends the field at `from`; two of them are one that stands in it. Where another follows something else it is
    /// none, so that a quote that nothing closes is looked for as far as the next only.
    fn closing(&self, text: &Text<'_>, from: usize) -> Option<usize> {
        let limit = text.bytes.len().min(from.saturating_add(MAX_LINES));
        let mut at = from;
        loop {
            let quote = text.run(at, limit.saturating_sub(at), |b| {
                b != b'"' && (self.is_file || !is_line_end(b))
            });
            if text.get(quote) != Some(b'"') {
                return None;
            }
            if text.get(quote + 1) != Some(b'"') {
                return Some(quote);
            }
            at = quote + 2;
        }
    }
}

/// Whether a line ends at `at`.
fn ends(text: &Text<'_>, at: usize) -> bool {
    text.get(at).is_none_or(is_line_end)
}

/// Whether this may be what a column is called: a few words.
fn is_head(cell: &[u8]) -> bool {
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.- ".contains(b);
    cell.len() <= HEAD
        && cell.first().is_some_and(u8::is_ascii_alphabetic)
        && cell.iter().all(in_name)
}

/// What the column promises that is called so.
fn kind_of_head(cell: &[u8]) -> Option<Kind> {
    is_head(cell).then(|| kind_of(cell)).flatten()
}
