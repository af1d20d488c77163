//! What programs put in front of each line that they print: its number (`cat -n`, `grep -n`), what said it (`web_1  | …`), when
//! it was said, that it is quoted (`> …`), or a comment (`# …`). A value on the line behind its name stands behind such a prefix as well.

use std::ops::Range;

use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::views::pieces::Pieces;

/// The longest prefix, in bytes.
const LONGEST: usize = 128;

/// Signs that part a number from its line, of as many bytes each: `12 │ …`, `12→…`.
const BARS: [&[u8]; 2] = ["│".as_bytes(), "→".as_bytes()];

/// How far lines with a prefix are followed, in bytes.
const MAX_LINES: usize = 64 << 10;

/// What stands in front of a line.
pub(crate) struct Prefix {
    /// Where the line goes on.
    end: usize,
    /// What is the same in the prefix of the next line.
    same: Range<usize>,
    /// The number that is one more there.
    number: Option<usize>,
}

impl Prefix {
    /// What stands in front of the line that begins at `line`.
    pub(crate) fn at(text: &Text<'_>, line: usize) -> Option<Self> {
        match text.get(line)? {
            b'0'..=b'9' => Self::time(text, line).or_else(|| Self::number(text, line, line)),
            b' ' | b'\t' => Self::number(text, line, line).or_else(|| Self::quote(text, line)),
            b'>' | b'#' | b'/' if Self::quote(text, line).is_some() => Self::quote(text, line),
            first if first.is_ascii_alphabetic() || b"./_".contains(&first) => {
                Self::speaker(text, line).or_else(|| Self::place(text, line))
            }
            _ => None,
        }
    }

    /// `> `, and what makes a comment of a line: `# `, `// `.
    fn quote(text: &Text<'_>, line: usize) -> Option<Self> {
        let start = text.run(line, LONGEST, is_blank);
        let sign = text.get(start).filter(|b| b">#/".contains(b))?;
        let signs = text.run(start, LONGEST, |b| b == sign);
        let is_alone = sign != b'/' || signs > start + 1;
        let next = text.get(signs).unwrap_or(b'\n');
        // The blanks of the line itself are none of the prefix.
        (is_alone && (is_blank(next) || is_line_end(next))).then_some(Self {
            end: signs + usize::from(next == b' '),
            same: line..signs,
            number: None,
        })
    }

    /// `12:`, `   12\t`, ` 12 | `, ` 12 │ `, `12→` at `at`, behind what is the same on the line that begins at `line`.
    fn number(text: &Text<'_>, line: usize, at: usize) -> Option<Self> {
        const DIGITS: usize = 9;
        let first = text.run(at, LONGEST, is_blank);
        let end = text.run(first, DIGITS, |b| b.is_ascii_digit());
        let number = std::str::from_utf8(text.slice(first..end)).ok()?;
        let sign = text.blanks(end);
        let length = match text.get(sign)? {
            b':' | b'-' if sign == end => 1,
            _ if BARS.iter().any(|bar| text.starts_with(sign, bar)) => {
                let bar = BARS[0].len();
                bar + usize::from(text.get(sign + bar) == Some(b' ') && sign > end)
            }
            b'|' if sign > end => 1 + usize::from(text.get(sign + 1) == Some(b' ')),
            _ if text.get(end) == Some(b'\t') => {
                return Some(Self {
                    end: end + 1,
                    same: line..at,
                    number: Some(number.parse().ok()?),
                });
            }
            _ => return None,
        };
        Some(Self {
            end: sign + length,
            same: line..at,
            number: Some(number.parse().ok()?),
        })
    }

    /// `path/of/file:12:`, `path/of/file-12-`
    fn place(text: &Text<'_>, line: usize) -> Option<Self> {
        let in_path = |b: u8| b.is_ascii_alphanumeric() || b"._/@+-".contains(&b);
        let path = text.run(line, LONGEST, in_path);
        let tight = |at: usize| {
            let number = Self::number(text, line, at)?;
            // Which sign parts the two tells a line that was looked for from one beside it.
            let same = line..at - 1;
            number.is_tight(text, at).then_some(Self { same, ..number })
        };
        if text.get(path) == Some(b':')
            && let Some(number) = tight(path + 1)
        {
            return Some(number);
        }
        // Behind a line that only stands near one that was looked for.
        let name = text.slice(line..path);
        let mut dashes = memchr::memchr_iter(b'-', name).map(|dash| line + dash + 1);
        dashes.find_map(tight)
    }

    /// Whether the number stands right at `at`.
    fn is_tight(&self, text: &Text<'_>, at: usize) -> bool {
        text.get(at).is_some_and(|b| b.is_ascii_digit())
            && matches!(text.get(self.end - 1), Some(b':' | b'-'))
    }

    /// `web_1  | `
    fn speaker(text: &Text<'_>, line: usize) -> Option<Self> {
        let in_name = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let name = text.run(line, LONGEST, in_name);
        let bar = text.blanks(name);
        (bar > name && text.starts_with(bar, b"| ")).then_some(Self {
            end: bar + 2,
            same: line..name,
            number: None,
        })
    }

    /// `2024-05-01T12:00:00.123Z `, `2024-05-01 12:00:00,123 `
    fn time(text: &Text<'_>, line: usize) -> Option<Self> {
        const DATE: usize = 10;
        const TIME: usize = 8;
        let day = text.run(line, DATE, |b| b.is_ascii_digit() || b == b'-');
        let parts = matches!(text.get(day), Some(b'T' | b' '));
        let end = text.run(day + 1, LONGEST, |b| {
            b.is_ascii_digit() || b"-:.,Z+".contains(&b)
        });
        let is_time = day - line == DATE && parts && end - day > TIME;
        (is_time && text.get(end) == Some(b' ')).then_some(Self {
            end: end + 1,
            same: line..line,
            number: None,
        })
    }

    /// Whether the `next` line has the prefix that follows this one.
    fn goes_on(&self, text: &Text<'_>, next: &Self) -> bool {
        let is_next = match (self.number, next.number) {
            (Some(number), Some(next)) => next == number + 1,
            (number, next) => number == next,
        };
        is_next && text.slice(self.same.clone()) == text.slice(next.same.clone())
    }
}

/// The lines from the one that begins at `line` on, as far as they have the same prefix, without it, and where they end; none if there are
/// not several.
pub(crate) fn without(text: &Text<'_>, line: usize) -> Option<(Pieces, usize)> {
    let mut prefix = Prefix::at(text, line)?;
    let mut pieces = Pieces::default();
    let mut lines = 0;
    let mut at = line;
    loop {
        let end = text.run(prefix.end, usize::MAX, |b| b != b'\n');
        let end = (end + 1).min(text.bytes.len());
        pieces.take(text.bytes, prefix.end..end);
        lines += 1;
        at = at.max(end);
        if at - line > MAX_LINES || at == text.bytes.len() {
            break;
        }
        match Prefix::at(text, at).filter(|next| prefix.goes_on(text, next)) {
            Some(next) => prefix = next,
            None => break,
        }
    }
    (lines > 1).then_some((pieces, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_together_as_far_as_their_prefix_goes_on() {
        for (text, want) in [
            ("> a\n>   b\n>\n> > c\nd\n", "a\n  b\n\n> c\n"),
            ("# a\n# b\n## c\n", "a\nb\n"),
            ("  # a\n  #  b\n # c\n", "a\n b\n"),
            ("// a\n//\n// b", "a\n\nb"),
            ("     9\ta\n    10\t b\n    12\tc\n", "a\n b\n"),
            ("9:a\n10: b\n11-c\n", "a\n b\nc\n"),
            ("x/y.z:9:a\nx/y.z-10-  b\n", "a\n  b\n"),
            ("     9→a\n    10→  b\n", "a\n  b\n"),
            ("   9   │ a\n  10   │   b\n", "a\n  b\n"),
            (
                "2024-05-01 12:00:00,123 a\n2024-05-01 12:00:01,124  b\n",
                "a\n b\n",
            ),
            ("x/y.z:9:a\nx/y.z:10:b\n", "a\nb\n"),
            ("x-y-9-a\nx-y-10-b\nx-z-11-c\n", "a\nb\n"),
            (" 9 | a\n10 |  b\n", "a\n b\n"),
            ("web_1  | a\nweb_1  |   b\ndb_1  | c\n", "a\n  b\n"),
            (
                "2024-05-01T12:00:00Z a\n2024-05-01T12:00:01Z  b\n",
                "a\n b\n",
            ),
        ] {
            let text = Text::new(text.as_bytes());
            let (pieces, _) = without(&text, 0).unwrap();
            assert_eq!(String::from_utf8_lossy(&pieces.bytes), want);
        }
        for text in [
            "> a",
            "a: b\nc: d\n",
            "1. a\n2. b\n",
            "9:a\n11:b\n",
            "#a\n#b\n",
            "a | b\n",
            "/ a\n/ b\n",
        ] {
            assert!(without(&Text::new(text.as_bytes()), 0).is_none(), "{text}");
        }
    }
}
