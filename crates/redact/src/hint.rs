//! Which lines may hold a secret value, told without a scan of the whole text: a search asks it of every line it finds,
//! and in most files none of them does.
//!
//! A value stands on the line of what it is known by, or on the next that is not blank, or it goes over several lines
//! by a syntax that does not stand in most files, or it stands in a list that is given to a name of several, or in a
//! table; or it is known from any other line of the text, and looks like no word. Whoever teaches a rule another way over the end of a line has to say it here; a test holds the examples of all
//! rules against it.

use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use crate::assign::list::Lists;
use crate::assign::pair::{self, VALUES};
use crate::assign::table::{SEPARATORS, is_rule};
use crate::engine::{has_name, may_hold_secret, names_secret};
use crate::mark::BEGIN;
use crate::rules::follow::ENCODED_TITLE;
use crate::scan::is_written_in;
use crate::scanned_text::Text;
use crate::views::{diff, escapes, prefix, written};
use crate::{own_rules, repeated};

/// What can open a value of several lines, on the line of what that is known by or the next, beside what stands behind a
/// sign ([`opens_behind_a_sign`]); and the end of an element, [`CLOSES`]. All are literals, so that one pass finds them.
const OPENERS: [&str; 10] = [
    "PRIVATE KEY",
    ENCODED_TITLE,
    "Private-Lines:",
    "\"\"\"",
    "'''",
    "<![CDATA[",
    "INSERT INTO",
    "insert into",
    "FROM stdin",
    "from stdin",
];

/// How what opens rows of SQL ends, whose columns are named on any line before.
const ROWS: [&[u8]; 2] = [b"into", b"stdin"];

/// What closes an element: where there are elements, a value may begin behind any tag.
const CLOSES: &[u8] = b"</";

/// How names of several secrets end, behind which a list may follow. In a word of a name, all letters but the first are of
/// one case.
const SEVERAL: [&str; 33] = [
    "asss", "ASSS", "auths", "AUTHS", "swords", "SWORDS", "wds", "WDS", "rases", "RASES", "codes",
    "CODES", "pws", "Pws", "PWS", "crets", "CRETS", "okens", "OKENS", "keys", "Keys", "KEYS",
    "wrds", "WRDS", "worts", "WORTS", "oords", "OORDS", "nhas", "NHAS", "psks", "Psks", "PSKS",
];

/// A text whose lines are asked for.
pub struct Hints<'a> {
    text: Text<'a>,
    /// Lines one below the other that a table may have.
    rows: Cell<Rows>,
    over_lines: OnceCell<bool>,
    has_values: OnceCell<bool>,
    is_read_otherwise: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    /// Those of all of a text, from its first line on.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes),
            rows: Cell::new(Rows::default()),
            over_lines: OnceCell::new(),
            has_values: OnceCell::new(),
            is_read_otherwise: OnceCell::new(),
        }
    }

    /// The text.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.text.bytes
    }

    /// Whether the whole text has to be scanned to know if the line at `line` holds a secret value.
    #[must_use]
    pub fn may_be_secret(&self, line: Range<usize>) -> bool {
        let bytes = self.text.bytes;
        let own = &bytes[line.clone()];
        let before = before(bytes, line.start);
        has_mark(own)
            || bytes[before.clone()].trim_ascii_end().ends_with(b"\\")
            || own_rules::may_match(own)
            || (repeated::may_stand_in(own) && self.may_have_values())
            || self.is_below_names(line.start)
            || (written::stands_in(own) && is_written_in(own))
            || self.may_be_known_above(line, before.start)
            || self.goes_over_lines()
            || self.is_read_otherwise()
    }

    /// Whether there is something by which a value would be known that stands at `line`: in it, in the line above that
    /// begins at `before`, or in what may be a table whose row it is. Lines are asked for one below the other, as a rule, so
    /// that rows are looked at once.
    fn may_be_known_above(&self, line: Range<usize>, before: usize) -> bool {
        let text = &self.text;
        let mut from = self.known_from(&line, before);
        let mut rows = None;
        if is_row(text.slice(line.clone())) {
            let (longer, start) = self.rows.get().down_to(text.bytes, &line);
            from = from.min(start);
            rows = Some(longer);
        }
        let has_head = rows.is_some_and(|rows| rows.has_head);
        let is_known = has_head || may_hold_secret(text, from..line.end);
        if let Some(rows) = rows {
            let has_head = is_known;
            self.rows.set(Rows { has_head, ..rows });
        }
        is_known
    }

    /// Whether a name stands in the lines down to the one at `line` that have the same prefix.
    fn is_below_names(&self, line: usize) -> bool {
        let lines = prefix::above(&self.text, line);
        lines.is_some_and(|lines| lines.len() >= prefix::MAX_ABOVE || has_name(&self.text, lines))
    }

    /// Whether there is something by which a value would be known that begins at `line`.
    fn may_be_known_at(&self, line: Range<usize>) -> bool {
        let before = before(self.text.bytes, line.start).start;
        let from = self.known_from(&line, before);
        may_hold_secret(&self.text, from..line.end)
    }

    /// How far back from `line` a name may stand whose value is in it; the line above begins at `before`.
    fn known_from(&self, line: &Range<usize>, before: usize) -> usize {
        if names_a_value(self.text.slice(line.clone())) {
            before.min(line.start.saturating_sub(pair::REACH))
        } else {
            before
        }
    }

    /// True if any line of the text may hold a secret value, which may occur in others as well.
    fn may_have_values(&self) -> bool {
        let all = 0..self.text.bytes.len();
        let may = || may_hold_secret(&self.text, all);
        *self.has_values.get_or_init(may)
    }

    /// Whether the text is in colours, or shows a change: it is not looked at as it stands alone then.
    fn is_read_otherwise(&self) -> bool {
        let bytes = self.text.bytes;
        *self
            .is_read_otherwise
            .get_or_init(|| escapes::stand_in(bytes) || diff::stands_in(bytes))
    }

    /// Whether a value that may be secret goes over several lines.
    fn goes_over_lines(&self) -> bool {
        *self.over_lines.get_or_init(|| {
            let bytes = self.text.bytes;
            if bytes.trim_ascii_start().starts_with(b"<") {
                return true;
            }
            if self.is_known_at(std::iter::once(first_line(bytes))) {
                return true;
            }
            if self.is_known_at_words() {
                return true;
            }
            let signs = memchr::memchr3_iter(b'`', b'|', b'>', bytes);
            let has_elements = memchr::memmem::find(bytes, CLOSES).is_some();
            self.is_known_at(
                signs.filter(|at| {
                    has_elements && bytes[*at] == b'>' || opens_behind_a_sign(bytes, *at)
                }),
            )
        })
    }

    /// Whether a list of secrets begins in the text, or something by which a value would be known at one of [`OPENERS`].
    fn is_known_at_words(&self) -> bool {
        let mut lists = Lists::default();
        let mut looked = 0;
        words().find_iter(self.text.bytes).any(|word| {
            let (at, word) = (word.range(), word.as_bytes());
            if SEVERAL.iter().any(|name| name.as_bytes() == word) {
                return names_secret(&self.text, at, &mut lists);
            }
            opens_rows(word) || self.is_known_further(at.start, &mut looked)
        })
    }

    /// Whether there is something by which a value would be known at one of `openers`, which are in the order of the
    /// text. Most are no openers at all.
    fn is_known_at(&self, mut openers: impl Iterator<Item = usize>) -> bool {
        let mut looked = 0;
        openers.any(|opener| self.is_known_further(opener, &mut looked))
    }

    /// Whether there is something by which a value would be known on the line of `opener`, which is looked at once: all
    /// before `looked` was.
    fn is_known_further(&self, opener: usize, looked: &mut usize) -> bool {
        if opener < *looked {
            return false;
        }
        let line = line_at(self.text.bytes, opener);
        *looked = line.end;
        self.may_be_known_at(line)
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

impl Rows {
    /// These and those down to `line`, which is one; if other lines stand between, those that end with it. Second, from where
    /// on they were not looked at.
    fn down_to(self, bytes: &[u8], line: &Range<usize>) -> (Self, usize) {
        let mut start = line.start;
        while start > 0 && start != self.end {
            let end = start - 1;
            let above = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
            if !is_row(&bytes[above..end]) {
                break;
            }
            start = above;
        }
        let is_further = start == self.end && self.start < self.end;
        let next = memchr::memchr(b'\n', &bytes[line.end..]);
        let rows = Self {
            start: if is_further { self.start } else { start },
            end: next.map_or(bytes.len(), |at| line.end + at + 1),
            has_head: is_further && self.has_head,
        };
        (rows, start)
    }
}

/// Whether a line may be one of a table.
fn is_row(line: &[u8]) -> bool {
    line.iter().any(|b| SEPARATORS.contains(b)) || is_rule(line)
}

/// Where the first line begins that is not blank.
fn first_line(bytes: &[u8]) -> usize {
    bytes.len() - bytes.trim_ascii_start().len()
}

/// [`SEVERAL`] and [`OPENERS`]: so few literals that they are looked for many bytes at once.
fn words() -> &'static Regex {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let words = SEVERAL.iter().chain(&OPENERS);
        let words: Vec<_> = words.map(|word| regex::escape(word)).collect();
        Regex::new(&words.join("|")).expect("a test compiles it")
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::{kind_of_several, names_of_several};

    #[test]
    fn every_name_of_several_ends_as_one_that_is_looked_for_however_it_is_spelled() {
        let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
        for name in names_of_several() {
            let humps: String = name.split('_').map(capital).collect();
            let camel = name[..1].to_owned() + &humps[1..];
            for spelled in [name.to_ascii_uppercase(), humps, camel, name] {
                let is_one = kind_of_several(spelled.as_bytes()).is_some();
                let is_found = words().is_match(spelled.as_bytes());
                assert!(is_found || !is_one, "{spelled}");
            }
        }
    }

    #[test]
    fn a_list_of_secrets_is_seen_from_each_of_its_lines() {
        let list = "let x = 1;\n\nlet client_secrets = [\n    'first',\n    'hT7!kq2Zw9',\n];\n";
        let harmless = list.replace("hT7!kq2Zw9", "").replace("first", "");
        for (text, wanted) in [(list, true), (&*harmless, false)] {
            let hints = Hints::new(text.as_bytes());
            let line = line_at(text.as_bytes(), text.rfind("',").unwrap_or(40));
            assert_eq!(hints.may_be_secret(line), wanted, "{text}");
        }
    }

    #[test]
    fn a_value_is_known_behind_the_prefix_of_its_line_and_written_in_it() {
        for (text, value, wanted) in [
            ("# password:\n#   hT7!kq2Zw9\n", "hT7", true),
            ("# colour:\n#   hT7!kq2Zw9\n", "hT7", false),
            ("8:password:\n9:  hT7!kq2Zw9\n", "hT7", true),
            (r#"x = "db:\n  password:\n    hT7!kq2Zw9\n""#, "hT7", true),
            (r#"x = "db:\n  colour:\n    hT7!kq2Zw9\n""#, "hT7", false),
        ] {
            let hints = Hints::new(text.as_bytes());
            let line = line_at(text.as_bytes(), text.find(value).unwrap());
            assert_eq!(hints.may_be_secret(line), wanted, "{text}");
        }
    }

    #[test]
    fn line_with_the_value_of_another_line_may_be_secret() {
        for (name, wanted) in [("password", true), ("colour", false)] {
            let text = format!("connect(\"hT7!kq2Zw9\")\n\n\nx\n\n{name} = \"hT7!kq2Zw9\"\n");
            let hints = Hints::new(text.as_bytes());
            assert_eq!(hints.may_be_secret(line_at(text.as_bytes(), 0)), wanted);
        }
    }

    #[test]
    fn rows_of_a_table_are_known_by_its_head() {
        let rows = "al,hT7!kq2Zw9\nbo,kW3#pl8Xs1\n";
        for (head, wanted) in [("user,password\n", true), ("user,colour\n", false)] {
            let text = format!("names\n\n{head}{rows}");
            let hints = Hints::new(text.as_bytes());
            for cell in ["al,", "bo,"] {
                let line = line_at(text.as_bytes(), text.find(cell).unwrap());
                assert_eq!(hints.may_be_secret(line), wanted, "{text} {cell}");
            }
        }
    }
}
