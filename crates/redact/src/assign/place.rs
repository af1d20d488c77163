//! Decides from its surroundings whether an unquoted value may be code. Shells, environment files
//! and configuration only allow literals where most languages have variables.

use crate::assign::literal::{End, is_in_string, line_start};
use crate::assign::named::Name;
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;
use crate::value::shape::shapes;
use crate::words::words;

/// Determines the form and the end of the value after a sign. `tight` means a sign `=` without
/// blanks around it.
pub(crate) fn behind_sign(text: &Text<'_>, name: &Name, closed: usize, tight: bool) -> (Form, End) {
    let before = text.run_back(name.start, 64, is_blank);
    let before = before.checked_sub(1).and_then(|at| text.get(at));
    match before {
        // A parameter of a URL.
        Some(b'?' | b'&') if tight => (Form::Bare, End::Parameter),
        // The fragment of a URL, in which a login may return its token.
        Some(b'#') if tight && is_in_fragment(text, name) => (Form::Bare, End::Parameter),
        // A part of a literal, such as a connection string.
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
        // An entry in a quoted list, as in `- 'DB_PASSWORD=…'`.
        Some(b'\'') if tight && is_environment(text, name) => (Form::Config, End::Next),
        _ if tight && is_environment(text, name) => (Form::Config, End::Blank),
        _ if tight && is_option(text, name) => (Form::Config, End::Next),
        _ if tight && is_property(text, name) => (Form::Config, End::Blank),
        _ => (Form::Bare, End::Next),
    }
}

/// Returns true if a name comes right after the `#` of a URL.
///
/// A `#` that opens a comment, on the other hand, comes after a blank, a sign or nothing.
fn is_in_fragment(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(name.start.saturating_sub(2)..name.start);
    matches!(before, [address, b'#'] if address.is_ascii_alphanumeric() || b"/_-".contains(address))
}

/// Returns true for a spelling only used for settings, e.g. `DB_PASSWORD` and
/// `spring.datasource.password`.
pub(crate) fn is_setting(text: &Text<'_>, name: &Name) -> bool {
    is_upper(text, name) || is_dotted(text, name)
}

/// Returns true for `--password`, and for `-password` unless it may be a line removed in a diff.
pub(crate) fn is_option(text: &Text<'_>, name: &Name) -> bool {
    let dashes = text.run_back(name.start, 2, |b| b == b'-');
    let before = dashes.checked_sub(1).and_then(|at| text.get(at));
    match name.start - dashes {
        0 => false,
        1 => before.is_some_and(|b| is_blank(b) || b"\"'".contains(&b)),
        _ => true,
    }
}

/// Returns true for `PASSWORD=…` on a line of its own or as the argument of a command. Code looks
/// different.
fn is_environment(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(line_start(text, name.start)..name.start);
    let own = text.slice(name.start..name.end);
    !own.iter().any(|b| b"-.".contains(b))
        && (shapes().sets_variable.is_in(before)
            || (is_upper(text, name) && shapes().may_set_variable.is_in(before)))
}

/// Returns true for `spring.datasource.password=…` at the start of a line, unless it may be an
/// assignment to an object's member.
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
