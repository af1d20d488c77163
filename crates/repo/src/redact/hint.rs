//! Which lines may hold a secret value, told without a scan of the whole text: a search asks it of every line it finds,
//! and in most files none of them does.
//!
//! A value stands on the line of what it is known by, or on the next that is not blank, or it goes over several lines
//! by a syntax that does not stand in most files. Whoever teaches a rule another way over the end of a line has to say
//! it here; a test holds the examples of all rules against it.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::engine::has_keyword;
use super::mark::BEGIN;
use super::pair::{self, VALUES};
use super::text::Text;

/// What can open a value of several lines, on the line of what that is known by or the next. Plain words alone, so that
/// looking for them is fast.
/// In YAML any number of blanks stands before the sign of a block.
const OPENERS: &str =
    "PRIVATE KEY|\"\"\"|'''|<!\\[CDATA|: \\||: >|:\\||:>|:  |:\\t|: \\t|=`|= `|:`|: `|\\(`";

/// A text whose lines are asked for.
pub(crate) struct Hints<'a> {
    text: Text<'a>,
    over_lines: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes),
            over_lines: OnceCell::new(),
        }
    }

    /// Whether the whole text has to be scanned to know if the line at `line` holds a secret value.
    pub(crate) fn may_be_secret(&self, line: Range<usize>) -> bool {
        let text = &self.text;
        memmem::find(text.slice(line.clone()), BEGIN.as_bytes()).is_some()
            || text
                .slice(before(text.bytes, line.start))
                .trim_ascii_end()
                .ends_with(b"\\")
            || self.has_keyword_for(line)
            || self.goes_over_lines()
    }

    /// Whether there is something by which a value would be known that begins at `line`.
    fn has_keyword_for(&self, line: Range<usize>) -> bool {
        let text = &self.text;
        let from = if names_a_value(text.slice(line.clone())) {
            line.start.saturating_sub(pair::REACH)
        } else {
            before(text.bytes, line.start).start
        };
        has_keyword(text, from..line.end)
    }

    /// Whether a value that may be secret goes over several lines.
    fn goes_over_lines(&self) -> bool {
        static REGEX: OnceLock<Regex> = OnceLock::new();
        *self.over_lines.get_or_init(|| {
            let regex = REGEX.get_or_init(|| Regex::new(OPENERS).expect("a test compiles it"));
            let bytes = self.text.bytes;
            if bytes.trim_ascii_start().starts_with(b"<") {
                return true;
            }
            // Behind a tag a value may begin, wherever there are elements.
            let has_elements = memmem::find(bytes, b"</").is_some();
            let tags = memchr::memchr_iter(b'>', bytes).take_while(|_| has_elements);
            self.is_known_at(regex.find_iter(bytes).map(|opener| opener.start()))
                || self.is_known_at(tags)
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
            self.has_keyword_for(line)
        })
    }
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

/// Whether a line has the name of a field that holds the value of another.
fn names_a_value(line: &[u8]) -> bool {
    VALUES.iter().any(|value| {
        line.windows(value.len())
            .any(|word| word.eq_ignore_ascii_case(value))
    })
}
