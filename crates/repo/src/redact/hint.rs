//! Which lines may hold a secret value, told without a scan of the whole text: a search asks it of every line it finds,
//! and in most files none of them does.
//!
//! A value stands on the line of what it is known by, or on the next that is not blank, or it goes over several lines
//! by a syntax that does not stand in most files. Whoever teaches a rule another way over the end of a line has to say
//! it here; a test holds the examples of all rules against it.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::engine::may_hold_secret;
use super::escapes;
use super::mark::BEGIN;
use super::own;
use super::pair::{self, VALUES};
use super::text::Text;

/// What can open a value of several lines, on the line of what that is known by or the next, beside what stands behind a
/// sign ([`opens_behind_a_sign`]); and the end of an element, [`CLOSES`]. All are literals, so that one pass finds them.
const OPENERS: &str = r#"PRIVATE KEY|Private-Lines:|"""|'''|<!\[CDATA\[|</"#;

/// What closes an element: where there are elements, a value may begin behind any tag.
const CLOSES: &[u8] = b"</";

/// A text whose lines are asked for.
pub(crate) struct Hints<'a> {
    text: Text<'a>,
    over_lines: OnceCell<bool>,
    has_escapes: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes),
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
            || self.may_be_known_at(line)
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
            let mut has_elements = false;
            let words = openers().find_iter(bytes).filter(|word| {
                let closes = word.as_bytes() == CLOSES;
                has_elements |= closes;
                !closes
            });
            if self.is_known_at(words.map(|word| word.start())) {
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

fn openers() -> &'static Regex {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    COMPILED.get_or_init(|| Regex::new(OPENERS).expect("a test compiles it"))
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
