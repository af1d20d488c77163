//! Tables of text with column names in the first line (`user,password`). Their columns are
//! separated by commas, semicolons, tabs or bars.

mod cell;
mod head;

use std::ops::Range;
use windlass_base::is_on;

use self::cell::{Cell, ends};
use self::head::{HEAD, begins_statement, is_end_of_head, is_head, kind_of_head, may_be_head};
use crate::assign::literal::{MAX_LINES, judge, judged, line_start, trimmed, unmarked};
use crate::assign::named::Name;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, after_line, is_line_end};
use crate::value::Form;
use crate::value::language::{is_message, is_method_name};

/// Column separators.
pub(crate) const SEPARATORS: &[u8] = b",;\t|";

/// Maximum number of columns in a table.
const MAX_COLUMNS: usize = 64;

/// Number of lines inspected to decide if a text is a table.
const SAMPLE: usize = 8;

/// Maximum length of a rule or a line of column names, in bytes.
const LINE: usize = MAX_COLUMNS * HEAD;

/// Degrees of certainty that the lines below the first are rows, which decides how we read them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The whole text is a table. Quoted fields may extend over several lines, and irregular lines
    /// don't end it.
    File,
    /// It's confirmed by a rule below the first line, as in Markdown. The table ends at the first
    /// line that's neither a row nor a rule.
    Ruled,
    /// The lines may be code as well. The table ends at the first one with another number of
    /// columns.
    Maybe,
}

/// A table, as described by its first line.
struct Table {
    separator: u8,
    columns: usize,
    /// The columns with secrets.
    secret: Vec<(usize, Kind)>,
    certainty: Certainty,
    /// True if the text begins with the table.
    begins_text: bool,
    /// The end of the first line.
    end: usize,
}

/// The end of the tables read so far.
#[derive(Default)]
pub(crate) struct Tables {
    read: usize,
}

impl Tables {
    /// Returns the secrets in the lines below `name`, which ends at `closed`, if that's the head of
    /// a column. All columns are handled together at the first name of a secret in the line.
    pub(crate) fn secrets(
        &mut self,
        text: &Text<'_>,
        name: &Name,
        closed: usize,
    ) -> Vec<Range<usize>> {
        if !is_on("redact.table") {
            return Vec::new();
        }
        if name.start < self.read {
            return Vec::new();
        }
        if !is_end_of_head(text, closed) {
            let next = text.blanks(closed);
            let is_cell = BARS.iter().any(|bar| text.starts_with(next, bar));
            return if is_cell {
                beside(text, name)
            } else {
                Vec::new()
            };
        }
        let Some(table) = Table::headed(text, name) else {
            return beside(text, name);
        };
        let (secrets, end) = table.rows(text);
        self.read = end;
        if secrets.is_empty() {
            return beside(text, name);
        }
        secrets
    }
}

impl Table {
    /// Returns the table whose first line contains `name` as its first name of a secret.
    fn headed(text: &Text<'_>, name: &Name) -> Option<Self> {
        let start = line_start(text, name.start);
        if start > 0 && !text.get(start - 1).is_some_and(is_line_end) {
            return None;
        }
        let line = text.run(start, LINE, |b| !is_line_end(b) && !SEPARATORS.contains(&b));
        let separator = text.get(line).filter(|b| !is_line_end(*b))?;
        let mut table = Self {
            separator,
            columns: 0,
            secret: Vec::new(),
            certainty: Certainty::Maybe,
            begins_text: text.slice(0..start).trim_ascii().is_empty(),
            end: start,
        };
        let mut are_names = true;
        // Added lines of a diff begin with a sign.
        let mut at = start + usize::from(text.get(start) == Some(b'+'));
        loop {
            let cell = Cell::at(text, at, separator, false);
            let head = text.slice(cell.value.clone());
            if let Some(kind) = kind_of_head(head) {
                if table.secret.is_empty() && !cell.value.contains(&name.start) {
                    return None;
                }
                table.secret.push((table.columns, kind));
            }
            let is_edge = separator == b'|' && head.is_empty();
            are_names &= is_head(head) || (is_edge && (at == start || ends(text, cell.end)));
            // A line numbered by a program isn't a head.
            let is_number = !head.is_empty() && head.iter().all(u8::is_ascii_digit);
            let is_numbered = is_number && table.columns == 0 && separator == b'\t';
            if is_numbered || !may_be_head(head) || table.columns == MAX_COLUMNS {
                return None;
            }
            table.columns += 1;
            table.end = cell.end;
            if ends(text, cell.end) {
                break;
            }
            at = cell.end + 1;
        }
        let is_table = table.columns > 1
            && !table.secret.is_empty()
            && !begins_statement(text.slice(start..table.end))
            && !table.is_row(text, start);
        if !is_table {
            return None;
        }
        let below = after_line(text, table.end);
        table.certainty = if separator == b'|' && is_rule(line_of(text, below)) {
            Certainty::Ruled
        } else if table.begins_text && table.is_mostly_rows(text, below) {
            Certainty::File
        } else {
            Certainty::Maybe
        };
        (are_names || table.certainty != Certainty::Maybe).then_some(table)
    }

    /// True if the line above the one at `start` has as many columns, all of words. The line at
    /// `start` is then one of several independent rows.
    fn is_row(&self, text: &Text<'_>, start: usize) -> bool {
        let Some(end) = start.checked_sub(1) else {
            return false;
        };
        let line = text.run_back(end, LINE, |b| !is_line_end(b));
        let cells = text.slice(line..end).split(|b| *b == self.separator);
        cells.clone().count() == self.columns
            && cells.into_iter().all(|cell| is_head(cell.trim_ascii()))
    }

    /// True if most of the first lines from `at` on have as many columns as the head.
    fn is_mostly_rows(&self, text: &Text<'_>, at: usize) -> bool {
        let mut line = at;
        let (mut rows, mut others) = (0, 0);
        while line < text.bytes.len() && rows + others < SAMPLE {
            let end = match self.cells(text, line, true) {
                Some(cells) if self.is_whole(&cells) => {
                    rows += 1;
                    cells.last().map_or(line, |cell| cell.end)
                }
                _ => {
                    let end = text.run(line, MAX_LINES, |b| !is_line_end(b));
                    let is_beside = is_beside(text.slice(line..end));
                    others += usize::from(!is_beside);
                    end
                }
            };
            line = after_line(text, end);
        }
        rows > 0 && rows >= others
    }

    /// Returns the secrets in the lines below the first, and the end of the last of these lines.
    fn rows(&self, text: &Text<'_>) -> (Vec<Range<usize>>, usize) {
        let mut secrets = Vec::new();
        let mut end = self.end;
        let mut line = after_line(text, end);
        // Once there's been another kind of line, words may belong to a sentence.
        let mut is_pure = true;
        while line < text.bytes.len() {
            let cells = self.cells(text, line, self.certainty == Certainty::File);
            let goes_on = match &cells {
                _ if self.separator == b'|' && is_rule(line_of(text, line)) => true,
                Some(cells) if self.is_whole(cells) => {
                    self.keep(text, cells, self.form(is_pure), &mut secrets);
                    true
                }
                Some(cells) if cells.len() > 1 && self.certainty != Certainty::Maybe => {
                    self.keep(text, cells, Form::Bare, &mut secrets);
                    true
                }
                _ if self.certainty == Certainty::File => {
                    is_pure &= is_beside(line_of(text, line));
                    true
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
            end = match cells.as_deref() {
                Some([.., last]) => last.end,
                _ => text.run(line, usize::MAX, |b| !is_line_end(b)),
            };
            line = after_line(text, end);
        }
        (secrets, end)
    }

    /// Returns the fields of the line at `at`, or `None` if there are too many. A quoted field may
    /// extend over `several` lines.
    fn cells(&self, text: &Text<'_>, at: usize, several: bool) -> Option<Vec<Cell>> {
        let mut cells = Vec::with_capacity(self.columns);
        let mut start = at;
        while cells.len() < 2 * MAX_COLUMNS {
            let cell = Cell::at(text, start, self.separator, several);
            let end = cell.end;
            cells.push(cell);
            if ends(text, end) {
                return Some(cells);
            }
            start = end + 1;
        }
        None
    }

    /// True if a line has as many columns as the first, or one more that's empty.
    fn is_whole(&self, cells: &[Cell]) -> bool {
        cells.len() == self.columns
            || (cells.len() == self.columns + 1
                && cells.last().is_some_and(|cell| cell.value.is_empty()))
    }

    /// Adds a row's secrets. If it has more columns than the first line, some field must contain a
    /// separator.
    fn keep(&self, text: &Text<'_>, cells: &[Cell], form: Form, secrets: &mut Vec<Range<usize>>) {
        let more = cells.len().saturating_sub(self.columns);
        let least = if form == Form::Bare { 6 } else { 4 };
        for (column, cell) in cells.iter().enumerate() {
            let secret = self
                .secret
                .iter()
                .find(|(secret, _)| (*secret..=secret + more).contains(&column));
            let value = unmarked(text, cell.value.clone());
            if let Some((_, kind)) = secret
                && value.len() >= least
                && !is_requirement(text, value.clone())
                && judge(text, value.clone(), *kind, form)
            {
                secrets.push(value);
            }
        }
    }

    /// Returns the form of values in whole rows.
    fn form(&self, is_pure: bool) -> Form {
        if self.certainty != Certainty::Maybe && self.begins_text && is_pure {
            Form::Cell
        } else {
            Form::Bare
        }
    }
}

/// Bars between the cells of a row.
const BARS: [&[u8]; 4] = [b"|", "│".as_bytes(), "┃".as_bytes(), "║".as_bytes()];

/// Returns the secret in the cell behind `name`, if that's alone in the first cell of its row, as
/// in `| password | … |`.
fn beside(text: &Text<'_>, name: &Name) -> Vec<Range<usize>> {
    if !is_on("redact.table_beside") {
        return Vec::new();
    }
    let start = line_start(text, name.start);
    let first = text.blanks(start);
    let Some(bar) = BARS.iter().find(|bar| text.starts_with(first, bar)) else {
        return Vec::new();
    };
    let in_mark = |b: u8| b"*_`> ".contains(&b);
    // Other words may come before it, as in `| deploy token | … |`.
    let in_cell = |b: u8| b.is_ascii_alphanumeric() || in_mark(b) || b == b'-';
    if text.run(first + bar.len(), HEAD, in_cell) < name.end {
        return Vec::new();
    }
    let closed = text.run(name.end, HEAD, in_mark);
    if !text.starts_with(closed, bar) {
        return Vec::new();
    }
    let cell = closed + bar.len();
    let end = text.run(cell, LINE, |b| !is_line_end(b));
    let Some(length) = memchr::memmem::find(text.slice(cell..end), bar) else {
        return Vec::new();
    };
    let value = unmarked(text, trimmed(text, cell..cell + length));
    let is_secret = value.len() >= 6
        && !is_requirement(text, value.clone())
        && judge(text, value.clone(), name.kind, Form::Bare);
    is_secret.then_some(value).into_iter().collect()
}

/// True if a line only separates lines of a table, as in `|---|---|` and `+----+----+`.
pub(crate) fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    memchr::memchr2(b'-', b'=', line).is_some() && line.iter().all(|b| b"-=+|:> \t".contains(b))
}

/// True if a line may separate the rows of a file, because it's blank or a comment.
fn is_beside(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with(b"#")
}

/// Returns the line at `at`, up to the maximum length of a separating line.
fn line_of<'t>(text: &Text<'t>, at: usize) -> &'t [u8] {
    let at = at.min(text.bytes.len());
    text.slice(at..text.run(at, LINE, |b| !is_line_end(b)))
}

/// True if a field has the requirements for a secret, or the method used to store it.
fn is_requirement(text: &Text<'_>, value: Range<usize>) -> bool {
    let value = judged(text.slice(value));
    is_message(&value) || is_method_name(&value)
}
