//! The secrets in a list assigned to a plural name (`passwords = […]`), over any number of lines.
//!
//! The list may be in brackets of any kind, with or without a type in front. It may also be on the
//! lines below the name (`- …`, `bob: …`), as in YAML and notes. In settings and notes, it may just
//! follow the name on its line without any brackets.
//!
//! We judge each literal by itself. A name may occur in a list many times. We only read the list
//! once for each kind, so that the work is linear in the length of the text.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::expression::{self, Words};
use crate::assign::list_reach::Reach;
use crate::assign::literal::{
    MAX_LINES, judge, judged, line_start, quoted, rest_of_line, trimmed, unmarked,
};
use crate::assign::named::{Name, plain};
use crate::assign::place;
use crate::assign::signs::{after_type, sign};
use crate::assign::table::Tables;
use crate::hidden::is_hidden;
use crate::name::describes_secret;
use crate::name_kind::{KINDS, Kind};
use crate::scanned_text::{Text, after_line, is_blank, is_line_end};
use crate::value::Form;
use crate::value::language::is_method_name;
use crate::words::words;

/// The ends of the lists and tables read so far.
#[derive(Default)]
pub(crate) struct Lists {
    /// The end of the last list of each kind, indexed by the kind its name promises.
    read: [usize; KINDS],
    pub(crate) tables: Tables,
}

/// Maximum length of the text between a sign and a list's bracket, in bytes.
const TYPE: usize = 64;

/// Maximum indentation of a list, in bytes.
const INDENT: usize = 256;

impl Lists {
    /// Returns the secrets of the list assigned to `name` by a sign at `at`.
    pub(crate) fn secrets(&mut self, text: &Text<'_>, name: &Name, at: usize) -> Vec<Range<usize>> {
        if !is_on("redact.list") {
            return Vec::new();
        }
        let read = &mut self.read[name.kind as usize];
        if name.start < *read {
            return Vec::new();
        }
        let Some(sign) = sign(text, at) else {
            return Vec::new();
        };
        let after = at + sign.len();
        let typed = sign.ends_with(b":").then(|| after_type(text, after));
        let value = typed.flatten().unwrap_or_else(|| text.blanks(after));
        let is_broken = text.get(value).is_none_or(|b| is_line_end(b) || b == b'#');
        let word = text.run(value, 2, |b| b"%qwW".contains(&b));
        let (secrets, end) = if is_words(text, value..word) {
            expression::listed(text, word, name.kind, Words::Blank)
        } else if let Some(open) = opening(text, value) {
            let is_array = sign == b"=" && at == name.end && open == after;
            let words = match sign {
                b"=" if is_array && text.get(open) == Some(b'(') => Words::Blank,
                b":" => Words::Parted,
                _ => Words::Quoted,
            };
            expression::listed(text, open, name.kind, words)
        } else if is_broken && sign == b":" {
            below(text, name, value)
        } else if sign == b"=" && at == name.end && value == after {
            in_setting(text, name, value)
        } else if sign == b":" && value > after && begins_note(text, name) {
            in_note(text, name.kind, value)
        } else {
            return Vec::new();
        };
        *read = end;
        secrets
    }
}

/// True if blanks separate the words in the following brackets because of the prefix at `word`, as
/// in `qw(` and `%w[`.
fn is_words(text: &Text<'_>, word: Range<usize>) -> bool {
    let known = [&b"qw"[..], b"%w", b"%W"].contains(&text.slice(word.clone()));
    known && text.get(word.end).is_some_and(|b| b"[({".contains(&b))
}

/// Returns the offset of a list's opening bracket. Its type or constructor may come first, at `at`.
fn opening(text: &Text<'_>, at: usize) -> Option<usize> {
    let at = match text.get(at)? {
        b'\n' | b'\r' => text.white(at),
        _ => at,
    };
    let is_open = |b: u8| b"[({".contains(&b);
    if is_open(text.get(at)?) {
        let inside = text.blanks(at + 1);
        // As in `[]string{`.
        let is_type = text.starts_with(at, b"[")
            && text.get(inside) == Some(b']')
            && text
                .get(inside + 1)
                .is_some_and(|b| b.is_ascii_alphabetic());
        if !is_type {
            return Some(at);
        }
    }
    let of_type = |b: u8| b.is_ascii_alphanumeric() || b"_.:<>[]&*!? ,".contains(&b);
    let mut end = text.run(at, TYPE, of_type);
    // The bracket may be part of the run, as in `&[`, `vec![` and `new[] {`.
    if let Some(square) = text.slice(at..end).iter().position(|b| *b == b'[')
        && matches!(
            square.checked_sub(1).map(|before| text.get(at + before)),
            Some(Some(b'&' | b'!'))
        )
    {
        end = at + square;
    }
    let before = text.slice(at..end).trim_ascii_end();
    match text.get(end)? {
        b'[' => Some(end),
        b'{' => {
            let is_type =
                before.starts_with(b"new") || before.ends_with(b">") || before.contains(&b']');
            is_type.then_some(end)
        }
        b'(' => {
            let word = before.rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_');
            let word = plain(word.clone().next().unwrap_or_default());
            words().makers.has(&word).then_some(end)
        }
        _ => None,
    }
}

/// Returns the secrets and the end of a setting with values separated by commas or semicolons, as
/// in `API_KEYS=…,…` or `API_KEYS="…, …"`.
fn in_setting(text: &Text<'_>, name: &Name, at: usize) -> (Vec<Range<usize>>, usize) {
    let (form, _) = place::behind_sign(text, name, name.end, true);
    if form != Form::Config {
        return (Vec::new(), at);
    }
    let quote = text.get(at).filter(|b| b"\"'".contains(b));
    let start = at + usize::from(quote.is_some());
    let end = match quote {
        Some(quote) => text.run(start, usize::MAX, |b| b != quote && !is_line_end(b)),
        None => text.run(start, usize::MAX, |b| {
            !b.is_ascii_whitespace() && !b"\"'`".contains(&b)
        }),
    };
    // An unclosed quote is followed by other text.
    if quote.is_some() && text.get(end) != quote {
        return (Vec::new(), start);
    }
    let mut secrets = Vec::new();
    let mut next = start;
    for part in text.slice(start..end).split(|b| b",;".contains(b)) {
        let value = trimmed(text, next..next + part.len());
        next += part.len() + 1;
        if value.len() >= 6 && judge(text, value.clone(), name.kind, Form::Element) {
            secrets.push(value);
        }
    }
    (secrets, end)
}

/// True if there's nothing before the name on its line except the start of an entry or a comment.
fn begins_note(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(line_start(text, name.start)..name.start);
    before.iter().all(|b| b" \t-+*>#/\"'".contains(b))
}

/// Returns the secrets making up the rest of a line (`Passwords: …, … and …`), and its end. A line
/// with any other word is a sentence, and one that ends with a comma is code.
fn in_note(text: &Text<'_>, kind: Kind, at: usize) -> (Vec<Range<usize>>, usize) {
    let end = text.run(at, usize::MAX, |b| !is_line_end(b));
    let comment = memchr::memmem::find(text.slice(at..end), b" #");
    let line = trimmed(text, at..comment.map_or(end, |comment| at + comment));
    let parts = |b: &u8| is_blank(*b) || b",;".contains(b);
    let mut words = Vec::new();
    let mut next = line.start;
    for word in text.slice(line.clone()).split(parts) {
        let value = next..next + word.len();
        next = value.end + 1;
        if !matches!(word, b"" | b"and" | b"or" | b"&") && !is_hidden(word) {
            words.push(unmarked(text, value));
        }
    }
    // A single word is often the name of something.
    let forms: &[Form] = match words.len() {
        1 => &[Form::Sentence { last: false }],
        _ => &[Form::Sentence { last: false }, Form::Element],
    };
    let is_secret = |word: &Range<usize>| {
        let mut forms = forms.iter();
        word.len() >= 6
            && !is_method_name(&judged(text.slice(word.clone())))
            && forms.any(|form| judge(text, word.clone(), kind, *form))
    };
    let is_code = text.slice(line).last().is_some_and(parts);
    if is_code || !words.iter().all(is_secret) {
        words.clear();
    }
    (words, end)
}

/// Returns the secrets in the lines below the one that ends at `at`, and the end of the last of
/// these lines.
fn below(text: &Text<'_>, name: &Name, at: usize) -> (Vec<Range<usize>>, usize) {
    // Added lines of a diff begin with a sign.
    let sign = usize::from(text.get(line_start(text, name.start)) == Some(b'+'));
    let own = line_start(text, name.start) + sign;
    let indent = text.run(own, INDENT, |b| is_blank(b) || b == b'-') - own;
    let before = text.slice(own..name.start.max(own));
    let has_line = before.iter().all(|b| is_blank(*b) || b"-\"'".contains(b));
    let mut reach = Reach::from(text, at);
    let mut secrets = Vec::new();
    let mut first = None;
    let mut end = text.run(at, MAX_LINES, |b| !is_line_end(b));
    let mut line = after_line(text, end);
    while line < reach.end(text, line, secrets.len()) {
        let is_changed = sign > 0 && matches!(text.get(line), Some(b'+' | b'-' | b' '));
        let first_column = line + usize::from(is_changed);
        let start = text.run(first_column, INDENT, is_blank);
        let stop = text.run(start, MAX_LINES, |b| !is_line_end(b));
        let column = start - first_column;
        line = after_line(text, stop);
        if start == stop || text.get(start) == Some(b'#') {
            continue;
        }
        let is_item = matches!(text.get(start), Some(b'-' | b'*'))
            && text.get(start + 1).is_some_and(is_blank);
        let value = text.blanks(if is_item { start + 1 } else { start });
        let pair = Pair::at(text, value);
        // Lines below a code statement aren't entries.
        let is_entry = is_item || (pair.is_some() && has_line);
        let is_further = column >= *first.get_or_insert(column)
            && (column > indent || (is_item && column == indent));
        if !is_entry || !is_further {
            break;
        }
        let value = match pair {
            Some(pair) if describes_secret(text.slice(pair.key.clone())) => None,
            Some(pair) => Some(pair.value),
            None => Some(value),
        };
        secrets.extend(value.and_then(|value| entry(text, value, name.kind)));
        end = stop;
    }
    (secrets, end)
}

/// Returns the secret at `at` if it has the rest of a list's line to itself.
fn entry(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    if let Some(value) = quoted(text, at, kind, Form::Element) {
        return Some(value);
    }
    let word = rest_of_line(text, at)?;
    let value = text.slice(word.clone());
    let is_word = value.len() >= 6 && !value.iter().any(|b| is_blank(*b) || b"\"'`".contains(b));
    let is_secret = || {
        let mut forms = [Form::Bare, Form::Element].into_iter();
        forms.any(|form| judge(text, word.clone(), kind, form))
    };
    let is_method = is_method_name(&judged(value));
    (is_word && !value.ends_with(b":") && !is_method && is_secret()).then(|| word.clone())
}

/// A key with its value, as in `bob: …`.
struct Pair {
    key: Range<usize>,
    /// The start of the value, or the end of the line if the values are below it.
    value: usize,
}

impl Pair {
    /// Returns the pair whose key begins at `at`.
    fn at(text: &Text<'_>, at: usize) -> Option<Self> {
        let of_key = |b: u8| b.is_ascii_alphanumeric() || b"_.@-\"' ".contains(&b);
        let end = text.run(at, TYPE, of_key);
        let value = text.blanks(end + 1);
        let is_apart = value > end + 1 || text.get(value).is_none_or(is_line_end);
        (end > at && text.get(end) == Some(b':') && is_apart).then_some(Self {
            key: at..end,
            value,
        })
    }
}
