//! Configuration entries: a name and its value, alone on a line outside of code.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{JUDGED, judge, line_start, trimmed};
use crate::assign::named::Name;
use crate::assign::place;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::words::words;

/// Maximum length of the neighboring text to inspect on each side, in bytes.
const AROUND: usize = 256;

/// Extends `first`, the secret word at `at`, to the end of its line or to a comment.
///
/// If there is no such word, the whole line is judged, provided that the name is a setting's. A
/// command, another setting or a sentence behind the word is not part of the value, as in
/// `PGPASSWORD=… psql -h db`.
pub(crate) fn to_line_end(
    text: &Text<'_>,
    name: &Name,
    at: usize,
    form: Form,
    first: Option<Range<usize>>,
) -> Option<Range<usize>> {
    let Some(line) = rest_of_line(text, at) else {
        return first;
    };
    let value = text.slice(line.clone());
    let Some(blank) = value.iter().position(|b| is_blank(*b)) else {
        return first;
    };
    let rest = &value[blank..];
    let is_sentence = || !place::is_setting(text, name) && has_prose(rest);
    // If the first word is a secret, the rest of the line may belong to it, because a passphrase
    // has several words. If it isn't, the line as a whole has to look like a secret.
    let is_whole = match &first {
        Some(first) => first.end == at + blank && !is_sentence(),
        None => {
            form == Form::Config
                && !is_command(value)
                && judge(text, line.clone(), name.kind, Form::Plain)
        }
    };
    if is_whole && !is_command(rest) {
        Some(line)
    } else {
        first
    }
}

fn has_prose(bytes: &[u8]) -> bool {
    let mut words = bytes.split(|b| is_blank(*b));
    words.any(|word| self::words().prose.has_any_case(word))
}

/// Returns true if one of the words behind a setting is an option, a sign of a shell or another
/// setting.
fn is_command(rest: &[u8]) -> bool {
    let is_variable = |word: &[u8]| {
        let in_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        let name = word.iter().take_while(in_name).count();
        name > 0 && word.get(name) == Some(&b'=')
    };
    rest.split(|b| is_blank(*b)).any(|word| {
        let first = word.first();
        first.is_some_and(|b| b"-/|&><\\\"'`$(".contains(b))
            || word.starts_with(b"./")
            || word.ends_with(b";")
            || is_variable(word)
    })
}

/// Finds the text from `at` to the end of its line or to a comment, unless it is too long.
fn rest_of_line(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let end = text.run(at, JUDGED, |b| !is_line_end(b));
    let comment = memchr::memmem::find(text.slice(at..end), b" #").map(|comment| at + comment);
    (is_on("redact.entry") && end - at < JUDGED).then(|| trimmed(text, at..comment.unwrap_or(end)))
}

/// Returns the word at `at` if it is a secret alone on the rest of the line.
///
/// Next to lines of a list in code, the word is probably a variable, and is skipped.
pub(crate) fn word(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let is_setting = place::is_setting(text, name);
    let entry = alone(text, name, at, Form::Entry);
    entry.or_else(|| is_setting.then(|| setting(text, name, at)).flatten())
}

/// Like [`word`], but for a known [setting's](place::is_setting) name.
pub(crate) fn setting(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    alone(text, name, at, Form::Config)
}

fn alone(text: &Text<'_>, name: &Name, at: usize, form: Form) -> Option<Range<usize>> {
    let line = rest_of_line(text, at)?;
    let value = text.slice(line.clone());
    let of_code = |b: &u8| is_blank(*b) || b"\"'`\\(){}[]<>=,;$".contains(b);
    (!value.iter().any(of_code)
        && judge(text, line.clone(), name.kind, form)
        && !is_in_list(text, name, line.end))
    .then_some(line)
}

/// Returns true if the line of `name` is an element of a list in code: the line before it opens a
/// list or ends with a separator, or the line after `end` closes one.
fn is_in_list(text: &Text<'_>, name: &Name, end: usize) -> bool {
    let own = line_start(text, name.start);
    let before = text.run_back(own, AROUND, |b| b.is_ascii_whitespace());
    let before = before.checked_sub(1).and_then(|at| text.get(at));
    let line = text.run(end, AROUND, |b| !is_line_end(b));
    let after = text.get(text.white(line));
    before.is_some_and(|b| b",;{([".contains(&b)) || after.is_some_and(|b| b"})]".contains(&b))
}
