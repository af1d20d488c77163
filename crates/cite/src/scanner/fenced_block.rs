//! Citations at the start of a fenced code block: after the opening fence, or alone in a comment on
//! the first line. The rest of the block quotes the cited lines.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use windlass_base::LineSpan;

use super::citation::{Citation, Excerpt, Setting, Written};
use super::line_starts::Lines;
use super::path_token::tokens;

/// The form `12:15:src/a.rs`, used by coding agents to quote code.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?<a>\d{1,9}):(?<b>\d{1,9}):(?<path>[^\s:`]+)$").ok());

/// Comment markers, and the ends of such comments. Longer markers precede their own beginnings.
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

/// Finds the citation of the code block in `range`.
///
/// `code` contains the ranges of its text without line prefixes, or `None` if unknown.
pub(super) fn citation(
    whole: &str,
    range: &Range<usize>,
    code: Option<&[Range<usize>]>,
    lines: &Lines,
) -> Option<Citation> {
    let block = whole.get(range.clone())?;
    let mark = block.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let opened = block.chars().take_while(|c| *c == mark).count();
    // The rest of the opening line is the info string, e.g. `rust src/a.rs:3`.
    let first_line = block.find('\n').unwrap_or(block.len());
    let info = block[opened..first_line].trim_end();
    let start = range.start + opened;
    let info = start + (info.len() - info.trim_start().len())..start + info.len();
    let body = body(whole, code.unwrap_or_default());
    let (named, body) = match (named(whole, info), body) {
        (Some(named), body) => (named, body),
        (None, Some(body)) => {
            let (named, rest) = commented(whole, body)?;
            (named, Some(rest))
        }
        (None, None) => return None,
    };
    let excerpt = body.and_then(|body| excerpt(whole, body, code?));
    let (range, path, span, written) = named;
    // A file name alone only identifies lines if the block shows their text.
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

/// Finds the citation in the first line of `body`, and the rest of the block. The line must be a
/// comment with nothing else.
fn commented(whole: &str, body: Range<usize>) -> Option<(Named, Range<usize>)> {
    let text = &whole[body.clone()];
    let length = text.find('\n').map_or(text.len(), |at| at + 1);
    // Skip the marks of an enclosing list or quotation.
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
        .take_while(|line| line.trim_matches([' ', '\t', '>', '\r', '\n']).is_empty());
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

/// Finds the first path-like word of `info`, i.e. one with a `/`, or a `.` between other
/// characters.
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

/// Finds the range between the fences, from the start of a line. An empty block has none.
fn body(whole: &str, code: &[Range<usize>]) -> Option<Range<usize>> {
    let (first, last) = (code.first()?, code.last()?);
    Some(line_start(whole, first.start)..last.end)
}

/// Makes the excerpt from the lines `body`.
///
/// `code` contains the ranges of the code in it. Returns `None` for lines with different prefixes,
/// since a rewrite could not restore them.
fn excerpt(whole: &str, body: Range<usize>, code: &[Range<usize>]) -> Option<Excerpt> {
    let says_something = |start: &usize| {
        let line = whole[*start..].lines().next();
        line.is_some_and(|line| !line.trim().is_empty())
    };
    let starts = starts(whole, code).into_iter();
    let first = starts
        .filter(|start| *start >= body.start)
        .find(says_something);
    let prefix = first.map_or("", |start| &whole[line_start(whole, start)..start]);
    let is_so = |line: &str| line.starts_with(prefix) || prefix.trim_end() == line.trim_end();
    let all = whole.get(body.clone())?;
    let lines_fit = !all.is_empty() && all.lines().all(is_so);
    lines_fit.then_some(Excerpt {
        range: body,
        prefix: prefix.to_owned(),
    })
}

/// Finds the start of the code on each line. The ranges in `code` may span several lines or begin
/// in the middle of one.
fn starts(whole: &str, code: &[Range<usize>]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::new();
    for range in code {
        let inner = whole[range.clone()].match_indices('\n');
        let inner = inner.map(|(at, _)| range.start + at + 1);
        let inner = inner.filter(|at| *at < range.end);
        for at in std::iter::once(range.start).chain(inner) {
            if starts
                .last()
                .is_none_or(|last| line_start(whole, at) > *last)
            {
                starts.push(at);
            }
        }
    }
    starts
}

fn line_start(whole: &str, at: usize) -> usize {
    whole[..at].rfind('\n').map_or(0, |end| end + 1)
}
