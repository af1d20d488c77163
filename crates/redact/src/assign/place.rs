//! Decides if an unquoted value may be code by looking at its place. A shell, an environment file
//! and configuration only have literals where most languages have names of variables.

use crate::assign::literal::{End, is_in_string, line_start};
use crate::assign::named::Name;
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;
use crate::words::words;

/// Returns the form and the terminator of the value after a sign at `at`. `tight` means that the
/// sign is `=` without blanks around it.
pub(crate) fn behind_sign(text: &Text<'_>, name: &Name, closed: usize, tight: bool) -> (Form, End) {
    let before = text.run_back(name.start, 64, is_blank);
    let before = before.checked_sub(1).and_then(|at| text.get(at));
    match before {
        Some(b'?' | b'&') if tight => (Form::Bare, End::Parameter),
        Some(b'#') if tight && is_in_fragment(text, name) => (Form::Bare, End::Parameter),
        _ if closed == name.end && is_in_string(text, name.start) => {
            let opened = text.get(name.start.wrapping_sub(1)) == Some(b'"');
            let form = if tight && opened && is_upper(text, name) {
                Form::Config
            } else {
                Form::Plain
            };
            let end = if before == Some(b';') {
                End::Semicolon
            } else {
                End::Next
            };
            (form, end)
        }
        Some(b'\'') if tight && is_environment(text, name) => (Form::Config, End::Next),
        _ if tight && is_environment(text, name) => (Form::Config, End::Blank),
        _ if tight && is_option(text, name) => (Form::Config, End::Next),
        _ if tight && is_property(text, name) => (Form::Config, End::Blank),
        _ => (Form::Bare, End::Next),
    }
}

/// True if a name directly follows the `#` of a URL. A `#` that opens a comment has nothing, a
/// blank or a sign before it.
fn is_in_fragment(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(name.start.saturating_sub(2)..name.start);
    matches!(before, [address, b'#'] if address.is_ascii_alphanumeric() || b"/_-".contains(address))
}

/// True if the name's spelling is only used for settings, as in `DB_PASSWORD` and
/// `spring.datasource.password`.
pub(crate) fn is_setting(text: &Text<'_>, name: &Name) -> bool {
    is_upper(text, name) || is_dotted(text, name)
}

/// True for `--password`, and for `-password` unless it may be a line removed in a diff.
pub(crate) fn is_option(text: &Text<'_>, name: &Name) -> bool {
    let dashes = text.run_back(name.start, 2, |b| b == b'-');
    let before = dashes.checked_sub(1).and_then(|at| text.get(at));
    match name.start - dashes {
        0 => false,
        1 => before.is_some_and(|b| is_blank(b) || b"\"'".contains(&b)),
        _ => true,
    }
}

/// True for `PASSWORD=…` on a line of its own or as the argument of a command. Code doesn't look
/// like that.
fn is_environment(text: &Text<'_>, name: &Name) -> bool {
    let bytes = text.slice(name.start..name.end);
    if bytes.iter().any(|b| b"-.".contains(b)) {
        return false;
    }
    let line = text.slice(line_start(text, name.start)..name.start);
    let line = line.trim_ascii();
    let line = line.strip_suffix(b"'").unwrap_or(line).trim_ascii_end();
    let mut words = line.split(|b| is_blank(*b)).filter(|word| !word.is_empty());
    let last = words.clone().next_back().unwrap_or_default();
    let lists = self::words();
    if lists.sets.has_bytes(last) {
        return true;
    }
    if !is_upper(text, name) {
        return false;
    }
    // Several variables can be set at once, as in `ENV A=1 PASSWORD=…`.
    let first = words.next();
    let begins = first.is_none_or(|word| lists.sets.has_bytes(word) || is_set(word));
    (begins && words.all(is_set))
        || line == b"-"
        || line.ends_with(b"Environment=")
        || lists.may_set.has_bytes(last)
}

/// True if `word` sets a variable, as in `NAME=…`.
fn is_set(word: &[u8]) -> bool {
    let name = word
        .iter()
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_');
    let name = name.count();
    name > 0 && word.get(name) == Some(&b'=')
}

/// True for `spring.datasource.password=…` at the start of a line, unless it may be a member of an
/// object.
fn is_property(text: &Text<'_>, name: &Name) -> bool {
    is_dotted(text, name) && line_start(text, name.start) == name.start
}

fn is_upper(text: &Text<'_>, name: &Name) -> bool {
    let bytes = text.slice(name.start..name.end);
    !bytes
        .iter()
        .any(|b| b.is_ascii_lowercase() || b"-.".contains(b))
}

fn is_dotted(text: &Text<'_>, name: &Name) -> bool {
    let mut parts = text.slice(name.start..name.end).split(|b| *b == b'.');
    let object = parts
        .next()
        .is_some_and(|first| words().objects.has_bytes(first));
    !object && parts.next().is_some()
}
