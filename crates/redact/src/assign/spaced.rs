//! Values behind a name and blanks, without a sign: options, commands with a name and a value, and
//! configuration lines of a server.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::{End, any, is_quoted, line_start, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::signs::after_type;
use crate::assign::{pair, place, prose};
use crate::name::kind_of;
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;

/// Returns the value behind blanks.
pub(crate) fn value(
    text: &Text<'_>,
    name: &Name,
    closed: usize,
    at: usize,
) -> Option<Range<usize>> {
    const COMMANDS: [(&[u8], Form); 8] = [
        (b"ENV", Form::Config),
        (b"setenv", Form::Config),
        (b"setx", Form::Config),
        (b"#define", Form::Plain),
        (b"define", Form::Plain),
        (b"-x", Form::Plain),
        // In the fish shell.
        (b"-gx", Form::Config),
        (b"-Ux", Form::Config),
    ];
    // As in `var password string = "…"` and `Dim password As String = "…"`.
    if at > closed
        && closed == name.end
        && let Some(value) = after_type(text, at).filter(|value| is_quoted(text, *value))
    {
        return quoted(text, value, name.kind, Form::Literal);
    }
    if at > closed && place::is_option(text, name) {
        return any(text, at, name.kind);
    }
    if at > name.end && closed == name.end {
        let line = text.slice(line_start(text, name.start)..name.start);
        let word = last_word(line.trim_ascii());
        if let Some((_, form)) = COMMANDS.iter().find(|(command, _)| word == *command) {
            // As in `#define PASSWORD ((int) …)`.
            let is_code = word.ends_with(b"define") && text.get(at) == Some(b'(');
            if is_code {
                return None;
            }
            // Don't judge a rejected literal again with its quotes.
            let is_text = is_quoted(text, at);
            let value = match is_text {
                true => quoted(text, at, name.kind, Form::Literal),
                false => unquoted(text, at, name.kind, *form, End::Blank),
            };
            let own = text.slice(name.start..name.end);
            return value.filter(|value| {
                let value = text.slice(value.clone());
                let is_code = match is_text {
                    true => repeats_macro_name(value, own),
                    false => is_macro_alias(value, own),
                };
                word != b"#define" || !is_code
            });
        }
    }
    pair::value_beside(text, name, closed).or_else(|| prose::value(text, name, closed, at))
}

/// True if a value is the name of its macro, or the end of that name, as in
/// `#define PEM_SM2PRIVATEKEY "SM2 PRIVATE KEY"`.
fn repeats_macro_name(value: &[u8], name: &[u8]) -> bool {
    if !is_on("redact.macro_name") {
        return false;
    }
    let plain = |text: &[u8]| -> Vec<u8> {
        let letters = text.iter().filter(|b| b.is_ascii_alphanumeric());
        letters.map(u8::to_ascii_lowercase).collect()
    };
    // A value that doesn't name a secret may be a password, even if the name ends with it.
    kind_of(value).is_some() && plain(name).ends_with(&plain(value))
}

/// True if the macro is an alias. Its value then ends like its name
/// (`#define set_key lib_set_key`), or is an object followed by its number (`OBJ_X509,35L`).
fn is_macro_alias(value: &[u8], name: &[u8]) -> bool {
    if !is_on("redact.macro_alias") {
        return false;
    }
    let is_macro = |part: &[u8]| {
        let in_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        part.iter().all(in_name) && part.first().is_some_and(|b| !b.is_ascii_digit())
    };
    if let Some(before) = value.strip_suffix(name) {
        return before.ends_with(b"_") && is_macro(before);
    }
    let Some(comma) = memchr::memchr(b',', value) else {
        return false;
    };
    let number = value[comma + 1..].strip_suffix(b"L").unwrap_or_default();
    is_macro(&value[..comma]) && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

fn last_word(line: &[u8]) -> &[u8] {
    line.rsplit(|b| is_blank(*b)).next().unwrap_or(line)
}
