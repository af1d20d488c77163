//! Entries of configuration. A name and its value have a line to themselves, and the value
//! continues to its end.

use std::ops::Range;

use crate::assign::literal::{self, judge, line_start, rest_of_line};
use crate::assign::named::Name;
use crate::assign::place;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;

/// Returns the value at `at` behind `name=`. `first` is its first word, if that's a secret by
/// itself. It's all of the value if it's the only word or the rest is a command. Otherwise we take
/// all words on the line, as long as the first or all of them together are a secret.
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
    let words = text.slice(line.clone());
    let Some(blank) = words.iter().position(|b| is_blank(*b)) else {
        return first.or_else(|| word(text, name, at));
    };
    if is_command(&words[blank..]) {
        return first;
    }
    let whole = first.is_some()
        || match form {
            Form::Plain | Form::Config => judge(text, line.clone(), name.kind, Form::Plain),
            _ => {
                let code = words.iter().any(|b| b"(){}[]<>=;\"`\\".contains(b));
                !code && judge(text, line.clone(), name.kind, Form::Phrase)
            }
        };
    whole.then_some(line)
}

/// True if the words after a variable are a command that runs with it, as in
/// `PASSWORD=… psql -h db`.
fn is_command(words: &[u8]) -> bool {
    let is_variable = |word: &[u8]| {
        let name = word
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
        let name = name.count();
        name > 0 && word.get(name) == Some(&b'=')
    };
    words
        .split(|b| is_blank(*b))
        .filter(|word| !word.is_empty())
        .any(|word| {
            b"-/|&><\\\"'`$".contains(&word[0])
                || word.starts_with(b"./")
                || word.ends_with(b";")
                || is_variable(word)
        })
}

/// Returns the single word at `at` if it has the rest of the line to itself. It's the name of a
/// variable instead if the neighbouring lines belong to a list in code.
pub(crate) fn word(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let entry = alone(text, name, at, Form::Entry);
    entry.or_else(|| {
        place::is_setting(text, name)
            .then(|| setting(text, name, at))
            .flatten()
    })
}

/// Like [`word`], but only for names written like a setting.
pub(crate) fn setting(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    alone(text, name, at, Form::Config)
}

/// Returns the single word at `at` if it's indented on the line below `name`, which has a line to
/// itself. YAML allows a line break there.
pub(crate) fn below(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let indent = |line: usize| text.run(line, AROUND, is_blank) - line;
    let (own, line) = (line_start(text, name.start), line_start(text, at));
    let between = text.slice(name.end..line);
    let is_next = memchr::memchr_iter(b'\n', between).count() == 1;
    if !is_next || indent(line) <= indent(own) {
        return None;
    }
    alone(text, name, at, Form::Bare).or_else(|| word(text, name, at))
}

/// Returns the words from `value` to the end of the line, behind a sign that ends at `sign`, as in
/// `password: correct h0rse …`.
pub(crate) fn phrase(
    text: &Text<'_>,
    name: &Name,
    sign: usize,
    value: usize,
) -> Option<Range<usize>> {
    (value > sign && name.has_line(text))
        .then(|| literal::phrase(text, value, name.kind))
        .flatten()
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

/// True if the line before that of `name` opens a list or separates its elements, or if the line
/// after `end` closes one.
fn is_in_list(text: &Text<'_>, name: &Name, end: usize) -> bool {
    let own = line_start(text, name.start);
    let before = text.run_back(own, AROUND, |b| b.is_ascii_whitespace());
    let before = before.checked_sub(1).and_then(|at| text.get(at));
    let line = text.run(end, AROUND, |b| !is_line_end(b));
    let after = text.get(text.white(line));
    before.is_some_and(|b| b",;{([".contains(&b)) || after.is_some_and(|b| b"})]".contains(&b))
}

/// Maximum distance to the neighbouring lines, in bytes.
const AROUND: usize = 256;
