//! Lists of secrets assigned to a plural name (`passwords = […]`), over any number of lines.
//!
//! The list may be in brackets of any kind, with or without a type in front. In YAML and notes, the
//! list may also be on the lines below the name (`- …`, `bob: …`). In settings and notes, it may be
//! on the line of the name, without any brackets. We judge each value by itself.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{MAX_LINES, end_of, judge, line_start, quoted, unmarked};
use crate::assign::named::Name;
use crate::assign::place;
use crate::assign::signs::{after_type, sign};
use crate::hidden::is_hidden;
use crate::name::describes_secret;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, after_line, is_blank, is_line_end};
use crate::value::Form;
use crate::value::shape::opens_list;

/// Maximum length of the text between a sign and a list's bracket, in bytes.
const TYPE: usize = 64;

/// Distance to the limit for raising it, in bytes. No value is longer.
const VALUE: usize = 4 << 10;

/// Forms of unquoted words between commas or on lines of their own.
const ENTRIES: &[Form] = &[Form::Bare, Form::Argument];

/// Finds the secrets of the list assigned to `name` by a sign at `at`, and the end of the list.
/// Without a list, the end is `at` itself.
pub(crate) fn secrets(text: &Text<'_>, name: &Name, at: usize) -> (Vec<Range<usize>>, usize) {
    let Some(sign) = sign(text, at).filter(|_| is_on("redact.list")) else {
        return (Vec::new(), at);
    };
    let after = at + sign.len();
    let typed = sign.ends_with(b":").then(|| after_type(text, after));
    let value = typed.flatten().unwrap_or_else(|| text.blanks(after));
    let is_tight = sign == b"=" && at == name.end && value == after;
    let is_broken = text.get(value).is_none_or(|b| is_line_end(b) || b == b'#');
    if let Some(length) = opens_list(text.window(value, TYPE)) {
        let open = value + length - 1;
        // In YAML, a word needs no quotes, and neither does it in a shell (`PASSWORDS=(a b)`) or in
        // a list of words in Perl or Ruby (`qw(a b)`, `%w[a b]`). In other code, words are
        // variables.
        let words: &[Form] = match sign {
            b":" => ENTRIES,
            _ if (is_tight && open == value) || text.slice(value..open).contains(&b'w') => {
                &[Form::Argument]
            }
            _ => &[],
        };
        return values(text, open..text.bytes.len(), name.kind, words);
    }
    if is_broken && sign == b":" {
        let end = end_of_entries(text, name, value);
        return values(text, value..end, name.kind, ENTRIES);
    }
    if is_tight && place::behind_sign(text, name, name.end, true).0 == Form::Config {
        let quote = text.get(value).filter(|b| b"\"'".contains(b));
        let start = value + usize::from(quote.is_some());
        let end = text.run(start, usize::MAX, |b| match quote {
            Some(quote) => b != quote && !is_line_end(b),
            None => !b.is_ascii_whitespace() && !b"\"'`".contains(&b),
        });
        // Without its closing quote, the text isn't a list but part of something else.
        if quote.is_none() || text.get(end) == quote {
            return values(text, start..end, name.kind, &[Form::Argument]);
        }
    }
    let before = text.slice(line_start(text, name.start)..name.start);
    if sign == b":" && value > after && before.iter().all(|b| b" \t-+*>#/\"'".contains(b)) {
        return in_note(text, name.kind, value);
    }
    (Vec::new(), at)
}

/// Finds the secrets among the quoted literals in the list from the bracket at `open`.
pub(crate) fn literals(text: &Text<'_>, open: usize, kind: Kind) -> Vec<Range<usize>> {
    values(text, open..text.bytes.len(), kind, &[]).0
}

/// Finds the secrets in `range`, and the end of the last value read.
///
/// After an opening bracket, stops at its counterpart. Unquoted words are judged in each of the
/// forms `words`, or skipped if it is empty.
fn values(
    text: &Text<'_>,
    range: Range<usize>,
    kind: Kind,
    words: &[Form],
) -> (Vec<Range<usize>>, usize) {
    let mut found = Vec::new();
    let mut limit = range.end.min(range.start.saturating_add(MAX_LINES));
    let mut known = 0;
    let in_word = |b: u8| !b.is_ascii_whitespace() && !b"\"'`,;[]{}()".contains(&b);
    let (mut at, mut depth, mut is_described) = (range.start, 0_usize, false);
    while at < limit {
        // Near the limit, only go on if the part since the last raise contained secrets. Otherwise,
        // each text with the mere look of a list's start would be read to its end every time.
        if at.saturating_add(VALUE) > limit && found.len() > known {
            known = found.len();
            limit = range.end.min(limit.saturating_add(MAX_LINES));
        }
        let b = text.bytes[at];
        if b == b'#' || text.starts_with(at, b"//") {
            at = text.run(at, limit - at, |b| !is_line_end(b));
            continue;
        }
        let literal_end = end_of(text, at, limit);
        let end = literal_end.unwrap_or_else(|| text.run(at, limit - at, in_word));
        if end == at {
            match b {
                b'[' | b'(' | b'{' => depth += 1,
                b']' | b')' | b'}' if depth < 2 => break,
                b']' | b')' | b'}' => depth -= 1,
                _ => {}
            }
            is_described &= is_blank(b);
            at += 1;
            continue;
        }
        let token = text.slice(at..end);
        let next = text.blanks(end);
        // This is the key of a value. After a key such as `created_at`, the value isn't a secret.
        if token.ends_with(b":") || matches!(text.get(next), Some(b':' | b'=')) {
            is_described = describes_secret(token);
            at = text.run(next, 2, |b| b":=>".contains(&b)).max(end);
            continue;
        }
        if literal_end.is_some() {
            let value = quoted(text, at, kind, Form::Argument);
            found.extend(value.filter(|_| !is_described));
        } else if !is_described && end - at >= 6 {
            let value = unmarked(text, at..end);
            let is_secret = words
                .iter()
                .any(|form| judge(text, value.clone(), kind, *form));
            found.extend(is_secret.then_some(value));
        }
        at = end;
    }
    (found, at)
}

/// Finds the end of the indented or itemized lines below `name`, whose own line ends at `at`.
fn end_of_entries(text: &Text<'_>, name: &Name, at: usize) -> usize {
    // In a diff, an added line begins with a sign.
    let column = |line: usize| text.run(line, TYPE, |b| is_blank(b) || b == b'+') - line;
    let own = line_start(text, name.start);
    let indent = text.run(own, TYPE, |b| is_blank(b) || b"-+".contains(&b)) - own;
    let mut end = text.run(at, MAX_LINES, |b| !is_line_end(b));
    let mut line = after_line(text, end);
    while line < text.bytes.len() {
        let start = line + column(line);
        let stop = text.run(start, MAX_LINES, |b| !is_line_end(b));
        let entry = text.slice(start..stop);
        let is_item = entry.starts_with(b"- ") || entry.starts_with(b"* ");
        let is_pair = name.has_line(text) && memchr::memchr(b':', entry).is_some();
        let is_further = start - line > indent || (is_item && start - line == indent);
        // Blank lines and comments may be between the entries.
        let is_beside = entry.is_empty() || entry.starts_with(b"#");
        if !is_beside && !(is_further && (is_item || is_pair)) {
            break;
        }
        end = stop;
        line = after_line(text, stop);
    }
    end
}

/// Finds the secrets on the rest of a line (`Passwords: …, … and …`), and its end.
///
/// With any other word, the line is a sentence, and with a comma at its end, code.
fn in_note(text: &Text<'_>, kind: Kind, at: usize) -> (Vec<Range<usize>>, usize) {
    let end = text.run(at, usize::MAX, |b| !is_line_end(b));
    let comment = memchr::memmem::find(text.slice(at..end), b" #");
    let line = text.slice(at..comment.map_or(end, |comment| at + comment));
    let mut words = Vec::new();
    let mut next = at;
    for word in line.split(|b| is_blank(*b) || b",;".contains(b)) {
        let value = next..next + word.len();
        next = value.end + 1;
        if !matches!(word, b"" | b"and" | b"or" | b"&") && !is_hidden(word) {
            words.push(unmarked(text, value));
        }
    }
    // A single word is often the name of something, so judge it more strictly.
    let form = match words.len() {
        1 => Form::Sentence { last: false },
        _ => Form::Argument,
    };
    let is_secret = |word: &Range<usize>| word.len() >= 6 && judge(text, word.clone(), kind, form);
    if line.trim_ascii_end().ends_with(b",") || !words.iter().all(is_secret) {
        words.clear();
    }
    (words, end)
}
