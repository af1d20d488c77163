//! Paths followed by line numbers, in running text and code.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use windlass_base::LineSpan;

use super::citation::Written;

/// Pattern of a path in running text.
const PATH: &str = r"[\p{L}\p{N}_.@+~%$/-]+";

/// Pattern for the separator between the first and the last line: a hyphen or dash, dots, or "to".
pub(super) const TO: &str = r"(?:[-‐‑‒–—−]|\.{2,3}=?|…| to )";

/// Pattern for the lines after a path: `#L3`, `#L3-L5`, `#L3C1-L5C9`, `?plain=1#L3`, `:3`, `:3-5`,
/// `:3–5`, `:3..5`, `:3:9`, `:3:9-5:2`.
static LINES: LazyLock<String> = LazyLock::new(|| {
    format!(
        r"(?:(?:\?[\w=&.-]{{1,64}})?#L(?<a>\d{{1,9}})(?<ac>C\d+)?(?:{TO}L?(?<b>\d{{1,9}})(?<bc>C\d+)?)?|:L?(?<c>\d{{1,9}})(?:(?<cc>:\d+)(?:{TO}(?<e>\d{{1,9}}):\d+)?|{TO}L?(?<d>\d{{1,9}}))?)"
    )
});

/// Pattern of unparseable line numbers after a citation, e.g. `src/a.rs:3, 6`, `:3 and 6` and
/// `:3 - 6`. At the start of the next line, such a mark begins a list item instead.
static MORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let also = r"[,;/&+]|,?\s?(?:and|or)\s|[-‐‑‒–—−]|\.{2,3}";
    let whole = r"(?:$|[^\w.:]|[.:](?:\W|$))";
    Regex::new(&format!(
        r"^[^\S\r\n]*(?:{also})\s*(?:lines?\s+)?L?\d{{1,9}}{whole}"
    ))
    .ok()
});

static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?<path>{PATH}){}", *LINES)).ok());

static WHOLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"^(?<path>[^#:<>|\r\n]+?){}$", *LINES)).ok());

/// A path with lines, and the byte ranges of its parts.
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) lines: LineSpan,
    pub(super) written: Written,
}

/// Finds the tokens in `range` of `whole`.
///
/// With `after_colon`, a token may directly follow a colon, as in `rust:src/a.rs:3` after a fence.
pub(super) fn tokens(whole: &str, range: Range<usize>, after_colon: bool) -> Vec<Token> {
    let (offset, text, piece) = (range.start, &whole[range.clone()], range);
    let Some(regex) = TOKEN.as_ref().filter(|_| may_name_lines(text)) else {
        return Vec::new();
    };
    let found = regex.captures_iter(text);
    let found = found.filter_map(|captures| token(whole, &captures, offset));
    found
        .filter(|token| stands_alone(whole, &token.range, &piece, after_colon))
        .collect()
}

/// Parses all of `range` as one token. Unlike in [`tokens`], the path may contain blanks.
pub(super) fn whole_token(whole: &str, range: Range<usize>) -> Option<Token> {
    let regex = WHOLE
        .as_ref()
        .filter(|_| may_name_lines(&whole[range.clone()]))?;
    let captures = regex.captures(&whole[range.clone()])?;
    token(whole, &captures, range.start)
}

/// Cheap test to reject most text before running a regex.
fn may_name_lines(text: &str) -> bool {
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|pair| match pair {
        [b'#', b'L'] => true,
        [b':', next] => next.is_ascii_digit() || *next == b'L',
        _ => false,
    })
}

fn token(whole: &str, captures: &Captures<'_>, offset: usize) -> Option<Token> {
    let at = |name: &str| {
        let found = captures.name(name)?;
        Some(offset + found.start()..offset + found.end())
    };
    let number = |name: &str| captures.name(name)?.as_str().parse::<u32>().ok();
    let is_fragment = captures.name("a").is_some();
    let (first, last) = match is_fragment {
        true => ("a", "b"),
        false if captures.name("e").is_some() => ("c", "e"),
        false => ("c", "d"),
    };
    let start = number(first)?;
    let lines = LineSpan::new(start, number(last).unwrap_or(start)).ok()?;
    let has = |name: &str| captures.name(name).is_some();
    let between = match is_fragment {
        true if captures.get(0)?.as_str().contains("-L") || !has("b") => "-L",
        _ => "-",
    };
    let found = captures.get(0)?;
    let range = offset + found.start()..offset + found.end();
    Some(Token {
        range: range.clone(),
        lines,
        written: Written {
            path: at("path")?,
            first: at(first),
            last: at(last),
            between,
            has_columns: has("ac") || has("bc") || has("cc"),
            has_more_lines: has_more_lines(whole, range.end),
        },
    })
}

/// Returns true unless the token is part of something longer, such as a web address, a version or
/// an escape. An underscore at either end of `piece` is emphasis, and does not count.
fn stands_alone(
    whole: &str,
    range: &Range<usize>,
    piece: &Range<usize>,
    after_colon: bool,
) -> bool {
    let before = whole[..range.start].chars().next_back();
    let before = before.filter(|c| !(*c == '_' && range.start == piece.start));
    let is_begun = before.is_some_and(|c| match c {
        ':' => !after_colon,
        '\\' | '#' | '&' | '?' => true,
        c => {
            c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | '+' | '~' | '%' | '$' | '/' | '-')
        }
    });
    let path = &whole[range.clone()];
    let is_emphasized = range.end == piece.end && whole[range.end..].starts_with('_');
    !is_begun
        && (is_emphasized || is_ended(whole, range.end))
        && !path.starts_with("//")
        && !path.starts_with('-')
}

/// Returns true if no word, number or path continues after `end`.
pub(super) fn is_ended(whole: &str, end: usize) -> bool {
    let mut after = whole[end..].chars();
    match after.next() {
        Some('.' | ':' | '-') => after.next().is_none_or(|c| !c.is_ascii_digit()),
        Some(c) => !(c.is_alphanumeric() || matches!(c, '_' | '/' | '%')),
        None => true,
    }
}

/// Returns true if further line numbers follow `end` that only a human can update.
pub(super) fn has_more_lines(whole: &str, end: usize) -> bool {
    /// Number of bytes to search. The regex engine allocates memory in proportion to its input.
    const MAX_SEARCHED: usize = 200;
    let after = &whole[end..whole.floor_char_boundary(end.saturating_add(MAX_SEARCHED))];
    let regex = MORE.as_ref();
    regex.is_none_or(|regex| regex.is_match(after))
}
