//! What SQL puts into columns that it names: `INSERT INTO users (name, password) VALUES ('bob', '…'), …`, and the lines below
//! `COPY users (name, password) FROM stdin;` in what PostgreSQL dumps.

use std::ops::Range;

use crate::assign::literal::judge;
use crate::assign::named::Name;
use crate::name::{Kind, kind_of};
use crate::scanned_text::{Text, after_line, is_blank, is_line_end};
use crate::value::Form;

/// The most columns.
const MAX_COLUMNS: usize = 256;

/// The longest name of a table together with its schema, in bytes.
const TABLE: usize = 192;

/// How long the names of all columns are at most, in bytes.
const LIST: usize = 16 << 10;

/// How deep the brackets of a value are followed.
const DEPTH: usize = 8;

/// How far what SQL inserts was read.
#[derive(Default)]
pub(crate) struct Inserts {
    read: usize,
    /// Bytes that names of columns are written in, from a bracket on, as far as they were looked at.
    columns: Range<usize>,
}

/// What follows the names of the columns.
enum Rows {
    Values,
    Copied,
}

impl Inserts {
    /// The secrets that are put into the columns of the list that `name` stands in. The first name of a secret there gives those
    /// of all columns.
    pub(crate) fn secrets(&mut self, text: &Text<'_>, name: &Name) -> Vec<Range<usize>> {
        let closed = text.run(name.end, 1, |b| b"\"'`]".contains(&b));
        let next = text.get(text.white(closed));
        if name.start < self.read || !matches!(next, Some(b',' | b')')) {
            return Vec::new();
        }
        // What was looked at for a name before this one is not looked at again.
        let known = self.columns.clone();
        let from = known.end.min(name.start);
        let start = text.run_back(name.start, LIST.min(name.start - from), in_columns);
        let start = if start == from && from > 0 {
            known.start
        } else {
            start
        };
        self.columns = start..closed;
        let is_known = start == known.start && known.end > 0;
        if is_known || start == 0 || text.get(start - 1) != Some(b'(') {
            return Vec::new();
        }
        let Some(columns) = Columns::of(text, start) else {
            return Vec::new();
        };
        let (secrets, end) = match columns.rows {
            Rows::Values => columns.values(text),
            Rows::Copied => columns.copied(text),
        };
        self.read = end;
        secrets
    }
}

/// The columns that something is put into.
struct Columns {
    /// How many there are.
    count: usize,
    /// Those that hold secrets.
    secret: Vec<(usize, Kind)>,
    rows: Rows,
    /// Where the rows begin.
    at: usize,
}

impl Columns {
    /// Those whose names begin at `start`, behind a bracket.
    fn of(text: &Text<'_>, start: usize) -> Option<Self> {
        let table = text.run_back(start - 1, TABLE, |b| in_columns(b) && b != b',');
        let words = text.slice(table..start - 1);
        let mut words = words
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let is_copy = words
            .any(|word| word.eq_ignore_ascii_case(b"copy") || word.eq_ignore_ascii_case(b"into"));
        if !is_copy {
            return None;
        }
        let mut secret = Vec::new();
        let mut count = 0;
        let mut at = start;
        for column in 0..MAX_COLUMNS {
            count += 1;
            let end = text.run(at, TABLE, |b| in_columns(b) && b != b',');
            let quote = |b: &u8| b.is_ascii_whitespace() || b"\"`'[]".contains(b);
            let name = text.slice(at..end);
            let first = name.iter().take_while(|b| quote(b)).count();
            let last = name.iter().rev().take_while(|b| quote(b)).count();
            let name = name.get(first..name.len() - last).unwrap_or_default();
            secret.extend(kind_of(name).map(|kind| (column, kind)));
            at = end + 1;
            match text.get(end)? {
                b',' => {}
                b')' => break,
                _ => return None,
            }
        }
        if secret.is_empty() {
            return None;
        }
        let (rows, at) = Rows::behind(text, text.white(at))?;
        Some(Self {
            count,
            secret,
            rows,
            at,
        })
    }

    /// The secrets in rows of values, and how far was read.
    fn values(&self, text: &Text<'_>) -> (Vec<Range<usize>>, usize) {
        let mut secrets = Vec::new();
        let mut at = self.at;
        loop {
            at = after_comments(text, at);
            if text.get(at) != Some(b'(') {
                return (secrets, at);
            }
            let mut column = 0;
            loop {
                let value = Value::at(text, at + 1);
                at = value.end;
                if let Some(kind) = self.kind(column) {
                    secrets.extend(value.secret(text, kind));
                }
                column += 1;
                match text.get(at) {
                    Some(b',') => {}
                    Some(b')') => break,
                    _ => return (secrets, at),
                }
            }
            at = text.white(at + 1);
            if text.get(at) != Some(b',') {
                return (secrets, at);
            }
            at += 1;
        }
    }

    /// The secrets in lines of as many columns, which tabs part, and how far was read.
    fn copied(&self, text: &Text<'_>) -> (Vec<Range<usize>>, usize) {
        let mut secrets = Vec::new();
        let mut line = self.at;
        while line < text.bytes.len() && !text.starts_with(line, b"\\.") {
            let end = text.run(line, usize::MAX, |b| !is_line_end(b));
            let row = text.slice(line..end);
            // What follows is no row: the statement stands in a text that speaks of it.
            if row.is_empty() || row.split(|b| *b == b'\t').count() != self.count {
                break;
            }
            let mut at = line;
            for (column, value) in row.split(|b| *b == b'\t').enumerate() {
                let value = at..at + value.len();
                at = value.end + 1;
                if let Some(kind) = self.kind(column)
                    && value.len() >= 4
                    && judge(text, value.clone(), kind, Form::Literal)
                {
                    secrets.push(value);
                }
            }
            line = after_line(text, end);
        }
        (secrets, line)
    }

    fn kind(&self, column: usize) -> Option<Kind> {
        let mut secret = self.secret.iter();
        secret
            .find(|(secret, _)| *secret == column)
            .map(|(_, kind)| *kind)
    }
}

impl Rows {
    /// What stands at `at`, behind the names of columns, and where the rows begin.
    fn behind(text: &Text<'_>, at: usize) -> Option<(Self, usize)> {
        let word = |at: usize| text.run(at, 16, |b| b.is_ascii_alphabetic());
        let is = |at: usize, known: &[u8]| text.slice(at..word(at)).eq_ignore_ascii_case(known);
        if is(at, b"values") || is(at, b"value") {
            return Some((Self::Values, word(at)));
        }
        let stdin = text.white(word(at));
        if !is(at, b"from") || !is(stdin, b"stdin") {
            return None;
        }
        let end = text.run(word(stdin), TABLE, |b| !is_line_end(b));
        Some((Self::Copied, after_line(text, end)))
    }
}

/// A value of a row: a literal, or an expression and the first literal in it.
struct Value {
    literal: Option<Range<usize>>,
    /// Whether there is nothing but the literal.
    is_alone: bool,
    /// Where it ends: at what parts it from the next, or where nothing more can be read.
    end: usize,
}

impl Value {
    /// The value that begins at `at`.
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
                    // Of one that is cut nobody knows more than its line.
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
            // `N'…'`, `E'…'`: how the literal is written.
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

/// Where something stands behind blanks and comments (`-- …`).
fn after_comments(text: &Text<'_>, at: usize) -> usize {
    let mut at = text.white(at);
    while text.starts_with(at, b"--") {
        at = text.white(text.run(at, usize::MAX, |b| !is_line_end(b)));
    }
    at
}

/// The `quote` that ends the literal whose text begins at `from`: two of them are one that stands in it.
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

/// Whether the names of columns are written with it.
fn in_columns(b: u8) -> bool {
    b.is_ascii_alphanumeric() || is_blank(b) || is_line_end(b) || b"_,.$\"`'[]".contains(&b)
}
