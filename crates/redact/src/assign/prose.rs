//! Secrets in sentences (`the password for root is …`), and in lists of machines as in `.netrc`,
//! where names and values are words that follow each other.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{JUDGED, judge};
use crate::assign::named::Name;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::value::letters::{has_digit, has_letter, is_scrambled};
use crate::value::random::looks_random;
use crate::words::{List, words as lists};

/// Maximum length of a sentence between a name and its value, in bytes.
const SENTENCE: usize = 96;

/// Returns the value of `name` in a sentence. The words behind the name begin at `at`.
pub(crate) fn value(
    text: &Text<'_>,
    name: &Name,
    closed: usize,
    at: usize,
) -> Option<Range<usize>> {
    if !is_on("redact.sentence") {
        return None;
    }
    let marked = text.run(closed, 2, |b| b == b'*');
    let at = if marked > closed {
        text.blanks(marked)
    } else {
        at
    };
    // As in `the password, X, is`.
    let comma = at == closed && text.get(at) == Some(b',');
    let at = if comma { text.blanks(at + 1) } else { at };
    if at == marked || (comma && at == closed + 1) {
        return None;
    }
    let line = text.window(at, SENTENCE);
    let line = &line[..memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len())];
    let offset = (!comma).then(|| offset_of_value(line, name.kind)).flatten();
    if offset.is_none() && !is_word(text, name) {
        return None;
    }
    let value = at + offset.unwrap_or(0);
    // The value may be marked by signs, as in `**value**`, or by a quote or backtick.
    let start = text.run(value, 4, |b| b"*_\"'`(<".contains(&b));
    let stop = text.run(start, JUDGED, |b| {
        !b.is_ascii_whitespace() && !b"\"'`<>".contains(&b)
    });
    let whole = text.slice(start..stop);
    let ends = whole.iter().rev().take_while(|b| b".,;:!?)*_".contains(b));
    let end = stop - ends.count();
    if offset.is_none() && !is_certain_password(text.slice(start..end)) {
        return None;
    }
    let last = offset.is_some()
        && (stop > end || start > value || text.get(text.blanks(stop)).is_none_or(is_line_end));
    let last = last || (offset.is_some() && ends_with_digits(text.slice(start..end)));
    let form = Form::Sentence { last };
    (end - start >= 6 && end - start < JUDGED && judge(text, start..end, name.kind, form))
        .then_some(start..end)
}

/// True if a name is a word for a password that may be followed directly by its value in a
/// sentence.
pub(crate) fn is_word(text: &Text<'_>, name: &Name) -> bool {
    let before = name.start.checked_sub(1).and_then(|at| text.get(at));
    name.kind == Kind::Password
        && text
            .slice(name.start..name.end)
            .iter()
            .all(u8::is_ascii_alphabetic)
        && before.is_none_or(|b| b.is_ascii_whitespace() || b"*_\"'`(".contains(&b))
}

/// True if a word must be a password. Names of methods and versions have fewer digits, or no
/// capitals.
fn is_certain_password(word: &[u8]) -> bool {
    let Ok(word) = std::str::from_utf8(word) else {
        return false;
    };
    let count = |of: fn(&u8) -> bool| word.bytes().filter(of).count();
    word.len() >= 8
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_uppercase) >= 1
        && count(u8::is_ascii_lowercase) >= 2
        && is_scrambled(word)
        && looks_random(word)
}

/// True if a word ends with several digits, like the passwords people choose. Names of versions
/// have one or two letters before the digits, or are words for versions.
fn ends_with_digits(word: &[u8]) -> bool {
    const LETTERS: usize = 5;
    let stem = word.trim_ascii_end();
    let digits = stem.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let letters = stem.iter().filter(|b| b.is_ascii_alphabetic()).count();
    digits >= 2 && letters >= LETTERS && stem.iter().any(u8::is_ascii_uppercase)
}

/// Returns the offset of the value in `line`, which has the words after a name.
fn offset_of_value(line: &[u8], kind: Kind) -> Option<usize> {
    if line.starts_with(b"(") {
        let closed = memchr::memchr(b')', line)? + 1;
        let rest = &line[closed..];
        let offset = match rest.strip_prefix(b":") {
            Some(value) => rest.len() - value.trim_ascii_start().len(),
            None => offset_of_value(rest.strip_prefix(b" ")?, kind)? + 1,
        };
        return Some(closed + offset);
    }
    let lists = lists();
    let mut words = words(line);
    let (_, first) = words.next()?;
    if [&b"should"[..], b"will"].contains(&first) {
        words.next().filter(|(_, word)| *word == b"be")?;
        return words.next().map(|(start, _)| start);
    }
    // As in `changed the password from … to …`.
    if kind == Kind::Password
        && [&b"to"[..], b"from"].contains(&first)
        && let Some((start, word)) = words.clone().next()
        && is_secret_word(word)
    {
        return Some(start);
    }
    if is_one_of(first, &lists.prose_which) {
        words.find(|(_, word)| is_one_of(word, &lists.prose_verbs) || word.ends_with(b":"))?;
    } else if !is_one_of(first, &lists.prose_verbs) {
        return None;
    }
    words
        .find(|(_, word)| !is_one_of(word, &lists.prose_before))
        .map(|(start, _)| start)
}

/// True if a word doesn't belong to a sentence.
fn is_secret_word(word: &[u8]) -> bool {
    let word = std::str::from_utf8(word).unwrap_or_default();
    let word = word.trim_matches(|c: char| "\"'`*.,;".contains(c));
    has_letter(word)
        && has_digit(word)
        && (is_scrambled(word) || has_sign(word) || ends_with_digits(word.as_bytes()))
}

fn has_sign(word: &str) -> bool {
    word.contains(['!', '#', '$', '&', '?'])
}

fn is_one_of(word: &[u8], list: &List) -> bool {
    let word = word.strip_suffix(b":").unwrap_or(word);
    list.has_any_case(word)
}

/// Iterates over the words of a line, with the offsets they start at.
fn words(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> + Clone {
    let mut next = 0;
    line.split(|b| is_blank(*b))
        .map(move |word| {
            let start = next;
            next += word.len() + 1;
            (start, word)
        })
        .filter(|(_, word)| !word.is_empty())
}
