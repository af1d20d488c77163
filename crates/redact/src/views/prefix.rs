//! Prefixes printed by programs before each line: its number (`cat -n`, `grep -n`), its source
//! (`web_1  | …`), its time, a quote sign (`> …`), or a comment (`# …`). If a value is on the line
//! after its name, there's such a prefix before the value, too.

use std::ops::Range;
use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;

use crate::scanned_text::Text;
use crate::views::pieces::Pieces;

/// Maximum length of a prefix, in bytes.
const LONGEST: usize = 256;

/// Maximum length of lines with a prefix that we take together, in bytes.
const MAX_LINES: usize = 64 << 10;

/// The prefixes, in this order:
///
/// - A time.
/// - A number, as in `12:`, `12\t`, ` 12 | `, ` 12 │ ` and `12→`.
/// - A quote or comment. Its `gap` is part of the line itself, except for one blank.
/// - A source, as in `web_1  | `.
/// - A path and a number, as in `a/b.c:12:` and `a/b.c-12-`.
const PREFIX: &str = concat!(
    r"^(?-u)(?:[0-9-]{10}[T ][0-9:.,Z+-]{8,32} ",
    r"|[ \t]*(?<number>[0-9]{1,9})(?:[:-]|\t|(?u:│|→)|[ \t]+(?u:│|→|\|) ?)",
    r"|(?<quote>[ \t]*(?:>+|#+|//+))(?<gap>[ \t\r\n]|$)",
    r"|(?<speaker>[A-Za-z._][\w.-]*)[ \t]+\| ",
    r"|(?<path>[A-Za-z./_][\w./@+-]*):(?<at>[0-9]{1,9})[:-]",
    r"|(?<file>[A-Za-z./_][\w./@+-]*?)-(?<near>[0-9]{1,9})[:-])",
);

/// A line's prefix.
pub(crate) struct Prefix {
    /// The start of the line behind the prefix.
    end: usize,
    /// The part that also occurs in the next line's prefix.
    same: Range<usize>,
    /// The number, which is one more on the next line.
    number: Option<usize>,
}

impl Prefix {
    /// Returns the prefix of the line that begins at `line`.
    pub(crate) fn at(text: &Text<'_>, line: usize) -> Option<Self> {
        static COMPILED: OnceLock<Regex> = OnceLock::new();
        let prefix = COMPILED.get_or_init(|| Regex::new(PREFIX).expect("a test compiles it"));
        let window = text.window(line, LONGEST);
        let groups = prefix.is_match(window).then(|| prefix.captures(window))??;
        let group = |names: &[&str]| names.iter().find_map(|name| groups.name(name));
        let same = group(&["quote", "speaker", "path", "file"]);
        let number = group(&["number", "at", "near"]).map(|it| it.as_bytes());
        let number = number.and_then(|it| std::str::from_utf8(it).ok()?.parse().ok());
        let gap = group(&["gap"]).filter(|gap| gap.as_bytes() != b" ");
        let end = gap.map_or(groups.get(0)?.end(), |gap| gap.start());
        Some(Self {
            end: line + end,
            same: line..line + same.map_or(0, |same| same.end()),
            number,
        })
    }

    /// True if the `next` line has the prefix that comes after this one.
    fn is_followed_by(&self, text: &Text<'_>, next: &Self) -> bool {
        let is_next = match (self.number, next.number) {
            (Some(number), Some(next)) => next == number + 1,
            (number, next) => number == next,
        };
        is_next && text.slice(self.same.clone()) == text.slice(next.same.clone())
    }
}

/// Returns the lines from `line` on, as long as they have the same prefix, without that prefix.
/// Also returns their end. Returns `None` for a single line.
pub(crate) fn without(text: &Text<'_>, line: usize) -> Option<(Pieces, usize)> {
    if !is_on("redact.prefix") {
        return None;
    }
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
        match Prefix::at(text, at).filter(|next| prefix.is_followed_by(text, next)) {
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
    fn lines_with_one_prefix_are_joined() {
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
