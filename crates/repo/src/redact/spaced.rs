//! Values behind a name and blanks, with no sign between them: of an option, of a command that takes a name and a value, of a
//! line in the configuration of a server.

use std::ops::Range;

use super::literal::{End, any, line_start, quoted, unquoted};
use super::named::Name;
use super::text::{Text, is_blank, is_line_end};
use super::value::Form;
use super::{pair, place, prose};

/// What is called by a word and its value on a line, with no sign between them: in the configuration of servers.
const DIRECTIVES: [&[u8]; 4] = [b"requirepass", b"masterauth", b"bindpw", b"rootpw"];

/// The value behind blanks: of an option, of a command that takes a name and a value, in the language Go.
pub(super) fn value(
    text: &Text<'_>,
    name: &Name,
    closed: usize,
    at: usize,
) -> Option<Range<usize>> {
    const COMMANDS: [(&[u8], Form); 6] = [
        (b"ENV", Form::Config),
        (b"setenv", Form::Config),
        (b"setx", Form::Config),
        (b"#define", Form::Plain),
        (b"define", Form::Plain),
        (b"-x", Form::Plain),
    ];
    if at > closed && place::is_option(text, name) {
        return any(text, at, name.kind);
    }
    if at > name.end && closed == name.end {
        const GO: &[u8] = b"string";
        if text.starts_with(at, GO) {
            let sign = text.blanks(at + GO.len());
            return (text.get(sign) == Some(b'='))
                .then(|| quoted(text, text.blanks(sign + 1), name.kind, Form::Literal))
                .flatten();
        }
        let line = text.slice(line_start(text, name.start)..name.start);
        let word = last_word(line.trim_ascii());
        if let Some((_, form)) = COMMANDS.iter().find(|(command, _)| word == *command) {
            // `#define PASSWORD ((int) …)`
            let is_code = word.ends_with(b"define") && text.get(at) == Some(b'(');
            if is_code {
                return None;
            }
            return quoted(text, at, name.kind, Form::Literal)
                .or_else(|| unquoted(text, at, name.kind, *form, End::Blank));
        }
    }
    if at > name.end
        && closed == name.end
        && let Some(value) = directive(text, name, at)
    {
        return Some(value);
    }
    pair::value_beside(text, name, closed)
        .or_else(|| prose::told(text, name, closed, at))
        .or_else(|| prose::of_machine(text, name, closed))
}

/// The value of a line in the configuration of a server, or of what sets it: `requirepass …`, `config set requirepass …`.
fn directive(text: &Text<'_>, name: &Name, at: usize) -> Option<Range<usize>> {
    let called = text.slice(name.start..name.end);
    let line = text.slice(line_start(text, name.start)..name.start);
    let before = last_word(line.trim_ascii());
    let is_known = DIRECTIVES
        .iter()
        .any(|known| called.eq_ignore_ascii_case(known));
    let begins = before.iter().all(|b| *b == b'#') || before.eq_ignore_ascii_case(b"set");
    if !is_known || !begins {
        return None;
    }
    let value = quoted(text, at, name.kind, Form::Literal)
        .or_else(|| unquoted(text, at, name.kind, Form::Plain, End::Blank))?;
    let closed = text.run(value.end, 2, |b| b"\"'".contains(&b));
    let rest = text.blanks(closed);
    text.get(rest).is_none_or(is_line_end).then_some(value)
}

fn last_word(line: &[u8]) -> &[u8] {
    line.rsplit(|b| is_blank(*b)).next().unwrap_or(line)
}
