//! Names and values in two fields of the same thing: `{"name": "PASSWORD", "value": "…"}`,
//! `<add key="…" value="…"/>`, `variable "password" { default = "…" }`.

use std::ops::Range;
use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;

use crate::assign::literal::{self, End, is_quoted, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::{entry, place};
use crate::scanned_text::{Text, is_blank};
use crate::value::Form;

/// Maximum distance from the name to the value, in bytes.
const REACH: usize = 1 << 10;

/// The field with the value.
///
/// Up to three other fields may precede it, unless one of them begins another pair (`name:`,
/// `key:`). In a diff, changed lines begin with a sign.
const FIELD: &str = concat!(
    r#"^(?-u)[\\"']{0,4}(?:[ \t]+#[^\r\n]*)?[\s,{}\\"'+-]+"#,
    r#"(?<between>(?:[\w-]+[\\"']{0,4}[ \t]*[:=][ \t]*"#,
    r#"(?:\\{0,2}"[^"\r\n]*"|'[^'\r\n]*'|[^\r\n,{}\[\]"']*)[\s,\\"'+-]+){0,3}?)"#,
    r#"(?<field>(?i:value|default))[\\"']{0,4}[ \t]*(?<sign>[:=])[ \t]*"#,
);

/// Finds the value in a field after the field of `name`. The latter ends at `closed`.
pub(crate) fn value_beside(text: &Text<'_>, name: &Name, closed: usize) -> Option<Range<usize>> {
    static COMPILED: OnceLock<[Regex; 2]> = OnceLock::new();
    let [fields, other] = COMPILED.get_or_init(|| {
        let other = r#"(?i-u)\b(?:name|key|id)[\\"']{0,4}[ \t]*[:=]"#;
        [FIELD, other].map(|it| Regex::new(it).expect("a test compiles it"))
    });
    let last = text.bytes.len().min(closed + REACH);
    if !may_be_field(text, closed) || !is_on("redact.pair") {
        return None;
    }
    let groups = fields.captures(&text.bytes[closed..last])?;
    let group = |name: &str| Some(groups.name(name)?.range());
    let between = groups.name("between")?.as_bytes();
    if !between.is_empty() && (other.is_match(between) || !holds_name(text, name, closed)) {
        return None;
    }
    let field = group("field")?;
    let field = Name {
        start: closed + field.start,
        end: closed + field.end,
        kind: name.kind,
        is_plural: false,
    };
    let (sign, at) = (closed + group("sign")?.start, closed + groups.get(0)?.end());
    if is_quoted(text, at) {
        return quoted(text, at, field.kind, Form::Literal);
    }
    if text.get(sign) == Some(b'=') {
        return unquoted(text, at, field.kind, Form::Plain, End::Next);
    }
    let value = literal::block(text, field.start, at, field.kind)
        .or_else(|| unquoted(text, at, field.kind, Form::Plain, End::Next));
    // The setting's name (`PASSWORD`) decides whether this can be code, not the field's name
    // (`value`).
    if at == sign + 1 || !place::is_setting(text, name) {
        return value;
    }
    let whole = entry::to_line_end(text, name, at, Form::Config, value);
    whole.or_else(|| entry::setting(text, &field, at))
}

/// Returns true if a word and a sign, or a comment, follow the name before `closed`. This check
/// rules out most names without running the pattern.
fn may_be_field(text: &Text<'_>, closed: usize) -> bool {
    let start = text.run(closed, 72, |b| {
        b.is_ascii_whitespace() || b",{}\\\"'+-".contains(&b)
    });
    let word = text.run(start, 32, |b| {
        b.is_ascii_alphanumeric() || b"_-".contains(&b)
    });
    let sign = text.blanks(text.run(word, 4, |b| b"\\\"'".contains(&b)));
    text.get(start) == Some(b'#') || (word > start && matches!(text.get(sign), Some(b':' | b'=')))
}

/// Returns true if the name is the value of a field (`name: PASSWORD`), or a literal before a
/// block.
fn holds_name(text: &Text<'_>, name: &Name, closed: usize) -> bool {
    let open = text.run_back(name.start, 4, |b| b"\\\"'".contains(&b));
    let before = text.run_back(open, 8, is_blank);
    let sign = before.checked_sub(1).and_then(|at| text.get(at));
    let block = closed > name.end && text.get(text.blanks(closed)) == Some(b'{');
    block || sign.is_some_and(|b| b":=".contains(&b))
}
