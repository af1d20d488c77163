//! Values after a name with only blanks between them: options, commands with a name and a value,
//! and lines of a server's configuration.

use std::ops::Range;

use crate::assign::literal::{End, any, is_quoted, line_start, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::signs::after_type;
use crate::assign::{pair, place, sentence};
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;
use crate::words::words;

pub(crate) fn value(
    text: &Text<'_>,
    name: &Name,
    closed: usize,
    at: usize,
) -> Option<Range<usize>> {
    // E.g. `var password string = "…"` and `Dim password As String = "…"`.
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
        if words().sets_behind_blank.has_bytes(word) {
            // Don't judge a rejected literal again as a bare word with its quotes.
            return match is_quoted(text, at) {
                true => quoted(text, at, name.kind, Form::Literal),
                false => unquoted(text, at, name.kind, Form::Config, End::Blank),
            };
        }
        if word.ends_with(b"define") {
            return quoted(text, at, name.kind, Form::Literal);
        }
    }
    pair::value_beside(text, name, closed).or_else(|| sentence::value(text, name))
}

fn last_word(line: &[u8]) -> &[u8] {
    line.rsplit(|b| is_blank(*b)).next().unwrap_or(line)
}
