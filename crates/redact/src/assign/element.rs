//! Secrets in the text of an XML element, named by its tag, by an attribute, or by the element
//! before it.

use std::ops::Range;

use crate::assign::literal::{End, JUDGED, MAX_LINES, judge, trimmed, unquoted};
use crate::assign::named::Name;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_line_end};
use crate::value::Form;

/// Maximum length of a tag, in bytes.
const MAX_TAG: usize = 256;

/// Returns the text of the element that has the name as its tag or key. The tag continues at `at`.
pub(crate) fn of_name(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let end = text.run(at, MAX_TAG, |b| b != b'>' && b != b'<');
    if text.get(end) != Some(b'>')
        || text.get(end - 1) == Some(b'/')
        || !(is_tag(text, name) || is_key(text, name))
    {
        return None;
    }
    // As in `<property name="password"><value>…`.
    const VALUE: &[u8] = b"<value>";
    let inside = text.white(end + 1);
    let is_inside = is_key(text, name) && text.starts_with(inside, VALUE);
    let at = if is_inside {
        inside + VALUE.len()
    } else {
        end + 1
    };
    element_text(text, at, name.kind)
}

/// Returns the text of the element behind the one containing the name, as in
/// `<key>Password</key><string>…`.
pub(crate) fn behind(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let end = text.run(at + 2, 32, |b| b.is_ascii_alphanumeric() || b == b':');
    let next = text.white(end + 1);
    if text.get(end) != Some(b'>') || text.get(next) != Some(b'<') {
        return None;
    }
    let tag = text.run(next + 1, 32, |b| b.is_ascii_alphanumeric() || b == b':');
    let called = text.slice(next + 1..tag);
    let is_one_of = |known: &[&[u8]]| known.iter().any(|known| called.eq_ignore_ascii_case(known));
    if text.get(tag) != Some(b'>') {
        return None;
    }
    if is_one_of(&[b"string", b"value", b"data"]) {
        return element_text(text, tag + 1, name.kind);
    }
    // On a web page, the cell behind a term is often a description of it.
    is_one_of(&[b"td", b"dd"])
        .then(|| unquoted(text, text.white(tag + 1), name.kind, Form::Bare, End::Next))
        .flatten()
}

/// True if `name` is the tag of an element, as in `<password` or `<db:password`.
pub(crate) fn is_tag(text: &Text<'_>, name: &Name) -> bool {
    let prefix = text.run_back(name.start, 32, |b| b.is_ascii_alphanumeric() || b == b':');
    let prefixed = prefix == name.start || text.get(name.start - 1) == Some(b':');
    prefixed && prefix > 0 && text.get(prefix - 1) == Some(b'<')
}

/// True if `name` is the value of a key attribute, as in `<entry key="password"`.
pub(crate) fn is_key(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(name.start.saturating_sub(6)..name.start);
    let before = before
        .strip_suffix(b"\"")
        .or_else(|| before.strip_suffix(b"'"));
    before.is_some_and(|before| before.ends_with(b"key=") || before.ends_with(b"name="))
}

/// Returns the secret that makes up an element's text and starts at `at`.
fn element_text(text: &Text<'_>, at: usize, kind: Kind) -> Option<Range<usize>> {
    const DATA: &[u8] = b"<![CDATA[";
    let (from, ends, end): (_, fn(u8) -> bool, &[u8]) = match text.starts_with(text.white(at), DATA)
    {
        true => (text.white(at) + DATA.len(), |b| b == b']', b"]]>"),
        false => (at, |b| b == b'<', b"</"),
    };
    let stop = text.run(from, JUDGED, |b| !ends(b));
    let range = trimmed(text, from..stop);
    // No password is this long, so the name was just a word in angle brackets. That's also true if
    // it's followed by words and no closing tag.
    let long = stop - from >= JUDGED
        && !matches!(kind, Kind::Password | Kind::Pass)
        && (!has_words(text.slice(range.clone()))
            || text.starts_with(text.run(stop, MAX_LINES, |b| !ends(b)), end));
    if range.len() < 4
        || !(long || text.starts_with(stop, end))
        || !judge(text, range.clone(), kind, Form::Literal)
    {
        return None;
    }
    let stop = if long {
        text.run(stop, MAX_LINES, |b| !ends(b))
    } else {
        range.end
    };
    Some(range.start..stop)
}

/// True if a line of `value` has blanks between other characters, which keys don't have.
fn has_words(value: &[u8]) -> bool {
    let mut lines = value.split(|b| is_line_end(*b));
    lines.any(|line| line.trim_ascii().contains(&b' '))
}
