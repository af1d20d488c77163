//! Pairs of fields, one of which holds a name and the other its value: `name: PASSWORD` and `value: …`,
//! `key="password" value="…"`, a variable and its default.

use std::ops::Range;

use crate::assign::literal::{self, End, is_quoted, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::{entry, place};
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;

/// What the field is called that holds the value.
pub(crate) const VALUES: [&[u8]; 2] = [b"value", b"default"];

/// What the field is called that holds the name.
const NAMES: [&[u8]; 3] = [b"name", b"key", b"id"];

/// How many fields may stand between the two, such as a type or a description.
const FIELDS_BETWEEN: usize = 3;

/// The longest value of a field between them, in bytes.
const FIELD_BETWEEN: usize = 128;

/// The value in the field behind the one that `name` stands in, which ends at `closed`.
pub(crate) fn value_beside(text: &Text<'_>, name: &Name, closed: usize) -> Option<Range<usize>> {
    let mut from = closed;
    for skipped in 0..=FIELDS_BETWEEN {
        let field = after_gap(text, from, skipped == 0);
        if field == from {
            return None;
        }
        let word = text.run(field, 32, |b| {
            b.is_ascii_alphanumeric() || b"_-".contains(&b)
        });
        let sign = text.blanks(text.run(word, 4, |b| b"\\\"'".contains(&b)));
        if word == field || !text.get(sign).is_some_and(|b| b"=:".contains(&b)) {
            return None;
        }
        let at = text.blanks(sign + 1);
        let called = text.slice(field..word);
        if VALUES
            .iter()
            .any(|value| called.eq_ignore_ascii_case(value))
        {
            let value = Name {
                start: field,
                end: word,
                kind: name.kind,
                is_plural: false,
            };
            let is_setting = place::is_setting(text, name);
            return field_value(text, &value, sign, at, is_setting);
        }
        // Here begins another thing, or the name is not that of a thing at all.
        let named = NAMES.iter().any(|name| called.eq_ignore_ascii_case(name));
        if named || !holds_name(text, name, closed) {
            return None;
        }
        from = after_value(text, at)?;
    }
    None
}

/// After what stands between two fields: separators, and a comment behind the `first` one.
fn after_gap(text: &Text<'_>, from: usize, first: bool) -> usize {
    let separators: &[u8] = if first { b",-{}\\\"'" } else { b",\\\"'" };
    let between = |b: u8| b.is_ascii_whitespace() || separators.contains(&b);
    let quotes = text.run(from, 4, |b| b"\\\"'".contains(&b));
    let blanks = text.blanks(quotes);
    let comment = blanks > quotes && text.get(blanks) == Some(b'#');
    let from = if comment {
        text.run(blanks, FIELD_BETWEEN, |b| !is_line_end(b))
    } else {
        from
    };
    text.run(from, 64, between)
}

/// Whether the name is the value of a field (`name: PASSWORD`), or a literal in front of a block.
fn holds_name(text: &Text<'_>, name: &Name, closed: usize) -> bool {
    let open = text.run_back(name.start, 4, |b| b"\\\"'".contains(&b));
    let before = text.run_back(open, 8, is_blank);
    let sign = before.checked_sub(1).and_then(|at| text.get(at));
    let block = closed > name.end && text.get(text.blanks(closed)) == Some(b'{');
    block || sign.is_some_and(|b| b":=".contains(&b))
}

/// Where the short value of a field ends that begins at `at`.
fn after_value(text: &Text<'_>, at: usize) -> Option<usize> {
    let escapes = text.run(at, 2, |b| b == b'\\');
    let quote = text.get(escapes).filter(|b| b"\"'".contains(b));
    let end = match quote {
        Some(quote) => text.run(escapes + 1, FIELD_BETWEEN, |b| {
            b != quote && !is_line_end(b)
        }),
        None => text.run(at, FIELD_BETWEEN, |b| {
            !is_line_end(b) && !b",{}[]".contains(&b)
        }),
    };
    (end - at < FIELD_BETWEEN && text.get(end) != Some(b'[')).then_some(end)
}

/// The secret in the field called `field`, whose value begins at `at`.
fn field_value(
    text: &Text<'_>,
    field: &Name,
    sign: usize,
    at: usize,
    is_setting: bool,
) -> Option<Range<usize>> {
    if is_quoted(text, at) {
        return quoted(text, at, field.kind, Form::Literal);
    }
    if matches!(text.get(at), Some(b'|' | b'>')) {
        return literal::block(text, field.start, at, field.kind);
    }
    let phrase = (text.get(sign) == Some(b':'))
        .then(|| entry::phrase(text, field, sign + 1, at))
        .flatten();
    phrase
        .or_else(|| unquoted(text, at, field.kind, Form::Plain, End::Next))
        .or_else(|| {
            // The field is called `value`, what it is the value of says whether this is code.
            let alone = text.get(sign) == Some(b':') && at > sign + 1 && is_setting;
            alone.then(|| entry::setting(text, field, at)).flatten()
        })
}
