//! Which lines may hold a secret value, told without a scan of the whole text: a search asks it of every line it finds,
//! and in most files none of them does.
//!
//! A value stands on the line of what it is known by, or on the next that is not blank, or it goes over several lines
//! by a syntax that does not stand in most files, or it stands in a list that is given to a name of several, or in a table. Whoever teaches a rule another way over the end of a line has to say
//! it here; a test holds the examples of all rules against it.

use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::engine::may_hold_secret;
use super::escapes;
use super::mark::BEGIN;
use super::own;
use super::pair::{self, VALUES};
use super::table::{SEPARATORS, is_rule};
use super::text::Text;

/// What can open a value of several lines, on the line of what that is known by or the next, beside what stands behind a
/// sign ([`opens_behind_a_sign`]); and the end of an element, [`CLOSES`]. All are literals, so that one pass finds them.
const OPENERS: &str = r#"PRIVATE KEY|Private-Lines:|"""|'''|<!\[CDATA\[|</|INSERT INTO|insert into|FROM stdin|from stdin"#;

/// How what opens rows of SQL ends, whose columns are named on any line before.
const ROWS: [&[u8]; 2] = [b"into", b"stdin"];

/// What closes an element: where there are elements, a value may begin behind any tag.
const CLOSES: &[u8] = b"</";

/// Names of several secrets, behind which a list may follow.
const SEVERAL: &str = "(?i:(?:passw(?:or)?d|passphrase|passcode|pwd?|secret|token|key)s)";

/// A text whose lines are asked for.
pub(crate) struct Hints<'a> {
    text: Text<'a>,
    /// Lines one below the other that a table may have.
    rows: Cell<Rows>,
    over_lines: OnceCell<bool>,
    has_escapes: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes),
            rows: Cell::new(Rows::default()),
            over_lines: OnceCell::new(),
            has_escapes: OnceCell::new(),
        }
    }

    /// The text.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.text.bytes
    }

    /// Whether the whole text has to be scanned to know if the line at `line` holds a secret value.
    pub(crate) fn may_be_secret(&self, line: Range<usize>) -> bool {
        let text = &self.text;
        has_mark(text.slice(line.clone()))
            || text
                .slice(before(text.bytes, line.start))
                .trim_ascii_end()
                .ends_with(b"\\")
            || own::may_match(text.slice(line.clone()))
            || self.may_be_known_at(line.clone())
            || self.may_be_in_table(line)
            || self.goes_over_lines()
            || self.has_escapes()
    }

    /// Whether there is something by which a value would be known that begins at `line`.
    fn may_be_known_at(&self, line: Range<usize>) -> bool {
        let text = &self.text;
        let from = if names_a_value(text.slice(line.clone())) {
            line.start.saturating_sub(pair::REACH)
        } else {
            before(text.bytes, line.start).start
        };
        may_hold_secret(text, from..line.end)
    }

    /// Whether `line` may be one of a table below the names of its columns. Lines are asked for one below the other, as a
    /// rule, so that those above are looked at once.
    fn may_be_in_table(&self, line: Range<usize>) -> bool {
        let bytes = self.text.bytes;
        let is_row = |line: &[u8]| line.iter().any(|b| SEPARATORS.contains(b)) || is_rule(line);
        if !is_row(&bytes[line.clone()]) {
            return false;
        }
        let known = self.rows.get();
        let mut start = line.start;
        while start > 0 && start != known.end {
            let end = start - 1;
            let above = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
            if !is_row(&bytes[above..end]) {
                break;
            }
            start = above;
        }
        let is_further = start == known.end && known.start < known.end;
        let has_head =
            (is_further && known.has_head) || may_hold_secret(&self.text, start..line.end);
        let next = memchr::memchr(b'\n', &bytes[line.end..]);
        self.rows.set(Rows {
            start: if is_further { known.start } else { start },
            end: next.map_or(bytes.len(), |at| line.end + at + 1),
            has_head,
        });
        has_head
    }

    /// Whether the text is in colours: names and values are not as they are shown then.
    fn has_escapes(&self) -> bool {
        *self
            .has_escapes
            .get_or_init(|| escapes::stand_in(self.text.bytes))
    }

    /// Whether a value that may be secret goes over several lines.
    fn goes_over_lines(&self) -> bool {
        *self.over_lines.get_or_init(|| {
            let bytes = self.text.bytes;
            if bytes.trim_ascii_start().starts_with(b"<") {
                return true;
            }
            if self.is_known_at(std::iter::once(first_line(bytes)))
                || self.is_known_at(several().find_iter(bytes).map(|name| name.start()))
            {
                return true;
            }
            let mut has_elements = false;
            let mut has_rows = false;
            let words = openers().find_iter(bytes).filter(|word| {
                let closes = word.as_bytes() == CLOSES;
                has_elements |= closes;
                has_rows |= !closes && opens_rows(word.as_bytes());
                !closes
            });
            if self.is_known_at(words.map(|word| word.start())) || has_rows {
                return true;
            }
            let signs = memchr::memchr3_iter(b'`', b'|', b'>', bytes);
            self.is_known_at(
                signs.filter(|at| {
                    has_elements && bytes[*at] == b'>' || opens_behind_a_sign(bytes, *at)
                }),
            )
        })
    }

    /// Whether there is something by which a value would be known at one of `openers`, which are in the order of the
    /// text. Most are no openers at all.
    fn is_known_at(&self, mut openers: impl Iterator<Item = usize>) -> bool {
        let mut looked = 0;
        openers.any(|opener| {
            if opener < looked {
                return false;
            }
            let line = line_at(self.text.bytes, opener);
            looked = line.end;
            self.may_be_known_at(line)
        })
    }
}

/// Lines one below the other that have what parts the columns of a table.
#[derive(Clone, Copy, Default)]
struct Rows {
    start: usize,
    /// Where the line begins behind the last of them that was asked for.
    end: usize,
    /// Whether something in them is a name that has a value.
    has_head: bool,
}

/// Where the first line begins that is not blank.
fn first_line(bytes: &[u8]) -> usize {
    bytes.len() - bytes.trim_ascii_start().len()
}

fn several() -> &'static Regex {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    COMPILED.get_or_init(|| Regex::new(SEVERAL).expect("a test compiles it"))
}

fn openers() -> &'static Regex {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    COMPILED.get_or_init(|| Regex::new(OPENERS).expect("a test compiles it"))
}

/// Whether an opener is that of rows of SQL.
fn opens_rows(opener: &[u8]) -> bool {
    let ends = |end: &[u8]| {
        let from = opener.len().saturating_sub(end.len());
        opener[from..].eq_ignore_ascii_case(end)
    };
    ROWS.into_iter().any(ends)
}

/// Whether what stands at `at` opens a block of YAML (`: |`), or a text in back ticks that is given to something. Any
/// number of blanks stands between.
fn opens_behind_a_sign(bytes: &[u8], at: usize) -> bool {
    let blank = |b: &&u8| matches!(b, b' ' | b'\t');
    let sign = bytes[..at].iter().rev().find(|b| !blank(b));
    sign.is_some_and(|sign| match bytes[at] {
        b'`' => b"=:(".contains(sign),
        _ => *sign == b':',
    })
}

/// The line that `at` stands on.
fn line_at(bytes: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr2(b'\n', b'\r', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    start..end
}

/// The last line that is not blank before the one that starts at `start`.
fn before(bytes: &[u8], start: usize) -> Range<usize> {
    let end = bytes[..start].trim_ascii_end().len();
    let line = memchr::memrchr2(b'\n', b'\r', &bytes[..end]).map_or(0, |at| at + 1);
    line..end
}

/// Whether a value was replaced in `line` already, which what stands beside it depends on.
fn has_mark(line: &[u8]) -> bool {
    let first = BEGIN.as_bytes()[0];
    memchr::memchr_iter(first, line).any(|at| line[at..].starts_with(BEGIN.as_bytes()))
}

/// Whether a line has the name of a field that holds the value of another.
fn names_a_value(line: &[u8]) -> bool {
    VALUES.iter().any(|value| {
        let first = value[0];
        memchr::memchr2_iter(first, first.to_ascii_uppercase(), line).any(|at| {
            let word = line.get(at..at + value.len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(value))
        })
    })
}
