//! Further line numbers after a path and its first lines, such as the `,6-9` in `src/a.rs:3,6-9`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use windlass_base::LineSpan;

use super::citation::Written;
use super::path_token::{TO, Token, has_more_lines, is_ended};

static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^[,;&+](?<blank>\s?)L?(?<first>\d{{1,9}})(?:{TO}L?(?<last>\d{{1,9}}))?"
    ))
    .ok()
});

/// Adds a token for each of the lines listed after `token`, with the same path.
///
/// In code (`in_code`), a blank may follow the comma. In running text it may not, since the next
/// number is often part of the sentence.
pub(super) fn with_listed(
    whole: &str,
    token: Token,
    range: &Range<usize>,
    in_code: bool,
) -> Vec<Token> {
    let path = token.written.path.clone();
    let mut tokens = vec![token];
    while let Some(last) = tokens.last()
        && !last.written.has_columns
        && let Some(next) = item(whole, &path, last.range.end..range.end, in_code)
    {
        tokens.push(next);
    }
    // A rewrite in the list would invalidate anything unparseable after it.
    let has_more = tokens
        .last()
        .is_some_and(|last| last.written.has_more_lines);
    for token in &mut tokens {
        token.written.has_more_lines = has_more;
    }
    tokens
}

/// Parses the list item at the start of `rest`.
fn item(whole: &str, path: &Range<usize>, rest: Range<usize>, in_code: bool) -> Option<Token> {
    let offset = rest.start;
    let captures = ITEM.as_ref()?.captures(&whole[rest])?;
    if !in_code
        && captures
            .name("blank")
            .is_some_and(|blank| !blank.is_empty())
    {
        return None;
    }
    let at = |name: &str| {
        let found = captures.name(name)?;
        Some(offset + found.start()..offset + found.end())
    };
    let number = |range: Range<usize>| whole[range].parse::<u32>().ok();
    let (first, last) = (at("first")?, at("last"));
    let start = number(first.clone())?;
    let end = match last.clone() {
        Some(last) => number(last)?,
        None => start,
    };
    let range = first.start..offset + captures.get(0)?.end();
    // In `src/a.rs:3,6th`, the 6 isn't a line number.
    is_ended(whole, range.end).then_some(())?;
    Some(Token {
        lines: LineSpan::new(start, end).ok()?,
        written: Written {
            path: path.clone(),
            first: Some(first),
            last,
            between: "-",
            has_columns: false,
            has_more_lines: has_more_lines(whole, range.end),
        },
        range,
    })
}
