//! The first line of a block of code, or a comment in the line after it, and what is in the block.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use windlass_base::LineSpan;

use crate::citation::{Citation, Excerpt, Setting, Written};
use crate::scan::Lines;
use crate::token::tokens;

/// `12:15:src/a.rs`, as agents quote files.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?<a>\d{1,9}):(?<b>\d{1,9}):(?<path>[^\s:`]+)$").ok());

/// Marks of comments, with what ends them; the longer ones first.
const COMMENTS: [(&str, &str); 10] = [
    ("<!--", "-->"),
    ("{/*", "*/}"),
    ("/*", "*/"),
    ("(*", "*)"),
    ("///", ""),
    ("//", ""),
    ("--", ""),
    ("#", ""),
    (";", ""),
    ("%", ""),
];

/// What the block of code in `range` cites; `top` says that it stands in no list or quotation.
pub(crate) fn citation(
    whole: &str,
    range: &Range<usize>,
    top: bool,
    lines: &Lines,
) -> Option<Citation> {
    let block = whole.get(range.clone())?;
    let mark = block.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let opened = block.chars().take_while(|c| *c == mark).count();
    let first_line = block.find('\n').unwrap_or(block.len());
    let info = block[opened..first_line].trim_end();
    let start = range.start + opened;
    let info = start + (info.len() - info.trim_start().len())..start + info.len();
    let body = body(block, first_line, mark, opened);
    let body = body.map(|body| range.start + body.start..range.start + body.end);
    let (named, body) = match (named(whole, info), body) {
        (Some(named), body) => (named, body),
        (None, Some(body)) => {
            let (named, rest) = commented(whole, body)?;
            (named, Some(rest))
        }
        (None, None) => return None,
    };
    let is_unindented = range.start == 0 || whole[..range.start].ends_with('\n');
    let excerpt = body
        .filter(|body| top && is_unindented && !body.is_empty())
        .map(|range| Excerpt { range });
    let (range, path, span, written) = named;
    // A file that is named alone says which lines only by showing them.
    (span.is_some() || excerpt.is_some()).then(|| Citation {
        line: lines.number_at(range.start),
        range,
        path,
        lines: span,
        setting: Setting::Fence,
        excerpt,
        written,
    })
}

/// What is named in the first line of `body`, if that is a comment and says nothing else; and the rest of it.
fn commented(whole: &str, body: Range<usize>) -> Option<(Named, Range<usize>)> {
    let text = &whole[body.clone()];
    let length = text.find('\n').map_or(text.len(), |at| at + 1);
    // What stands before it where the block is in a list or a quotation.
    let line = text[..length].trim_start_matches([' ', '\t', '>']);
    let (open, close) = *COMMENTS.iter().find(|(open, _)| line.starts_with(open))?;
    let marked = line.trim_start_matches(open);
    let inner = marked.trim_end().strip_suffix(close)?.trim_end();
    let inner = inner.strip_suffix(':').unwrap_or(inner);
    let end = body.start + length - marked.len() + inner.len();
    let start = end - inner.trim_start().len();
    let named = named(whole, start..end)?;
    let says_more = whole[start..end].contains(char::is_whitespace);
    let blank = text[length..]
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty());
    let rest = body.start + length + blank.map(str::len).sum::<usize>();
    (named.0 == (start..end) && !says_more).then_some((named, rest..body.end))
}

type Named = (Range<usize>, String, Option<LineSpan>, Written);

fn named(whole: &str, info: Range<usize>) -> Option<Named> {
    let text = &whole[info.clone()];
    if let Some(found) = QUOTED.as_ref()?.captures(text) {
        let at = |name: &str| {
            let found = found.name(name)?;
            Some(info.start + found.start()..info.start + found.end())
        };
        let number = |name: &str| found.name(name)?.as_str().parse().ok();
        let written = Written {
            path: at("path")?,
            first: at("a"),
            last: at("b"),
            between: ":",
            has_columns: false,
            has_more_lines: false,
        };
        let lines = LineSpan::new(number("a")?, number("b")?).ok()?;
        let path = whole[written.path.clone()].to_owned();
        return Some((info, path, Some(lines), written));
    }
    if let Some(token) = tokens(whole, info.clone(), true).into_iter().next() {
        let path = whole[token.written.path.clone()].to_owned();
        return Some((token.range, path, Some(token.lines), token.written));
    }
    let path = bare_path(text)?;
    let path = info.start + path.start..info.start + path.end;
    let written = Written {
        path: path.clone(),
        first: None,
        last: None,
        between: "",
        has_columns: false,
        has_more_lines: false,
    };
    Some((path.clone(), whole[path].to_owned(), None, written))
}

/// The first word of `info` that looks like a path: it has a `/`, or a `.` within.
fn bare_path(info: &str) -> Option<Range<usize>> {
    let is_border = |c: char| c.is_whitespace() || "\"'=:{},()<>|`".contains(c);
    let mut start = 0;
    for (at, c) in info.char_indices().chain([(info.len(), ' ')]) {
        if !is_border(c) {
            continue;
        }
        let word = &info[start..at];
        let has_dot = word
            .find('.')
            .is_some_and(|dot| dot > 0 && dot + 1 < word.len());
        if (word.contains('/') || has_dot) && !word.starts_with("//") {
            return Some(start..at);
        }
        start = at + c.len_utf8();
    }
    None
}

/// The lines between the first and the closing one, within `block`; nothing where there are none.
fn body(block: &str, first_line: usize, mark: char, opened: usize) -> Option<Range<usize>> {
    let start = (first_line + 1).min(block.len());
    let inner = &block[start..];
    let last = inner
        .trim_end_matches(['\r', '\n'])
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let closing = inner[last..].trim();
    let is_closed =
        closing.len() >= opened && !closing.is_empty() && closing.chars().all(|c| c == mark);
    let end = if is_closed { start + last } else { block.len() };
    (end > start).then_some(start..end)
}
