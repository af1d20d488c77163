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

/// The field with the value, after at most three others. None of those begins something else
/// (`name:`, `key:`).
const FIELD: &str = concat!(
    r#"^(?-u)[\\"']{0,4}(?:[ \t]+#[^\r\n]{0,128})?[\s,{}\\"'-]{1,64}"#,
    r#"(?<between>(?:[\w-]{1,32}[\\"']{0,4}[ \t]*[:=][ \t]*"#,
    r#"(?:\\{0,2}"[^"\r\n]{0,128}"|'[^'\r\n]{0,128}'|[^\r\n,{}\[\]"']{0,128})[\s,\\"']{1,64}){0,3}?)"#,
    r#"(?<field>(?i:value|default))[\\"']{0,4}[ \t]*(?<sign>[:=])[ \t]*"#,
);

/// Returns the value in the field behind the one with `name`, which ends at `closed`.
pub(crate) fn value_beside(text: &Text<'_>, name: &Name, closed: usize) -> Option<Range<usize>> {
    if !is_on("redact.pair") {
        return None;
    }
    static COMPILED: OnceLock<[Regex; 2]> = OnceLock::new();
    let [fields, other] = COMPILED.get_or_init(|| {
        let other = r#"(?i-u)\b(?:name|key|id)[\\"']{0,4}[ \t]*[:=]"#;
        [FIELD, other].map(|it| Regex::new(it).expect("a test compiles it"))
    });
    let last = text.bytes.len().min(closed + REACH);
    if !may_be_field(text, closed) {
        return None;
    }
    let groups = fields.captures(&text.bytes[closed..last])?;
    let group = |name: &str| Some(groups.name(name)?.range());
    let between = group("between")?;
    let between = text.slice(closed + between.start..closed + between.end);
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
    let is_setting = place::is_setting(text, name);
    let (sign, at) = (closed + group("sign")?.start, closed + groups.get(0)?.end());
    field_value(text, &field, sign, at, is_setting)
}

/// True if a word and a sign, or a comment, follow the name that ends at `closed`. This rules out
/// most names.
fn may_be_field(text: &Text<'_>, closed: usize) -> bool {
    let start = text.run(closed, 72, |b| {
        b.is_ascii_whitespace() || b",{}\\\"'-".contains(&b)
    });
    let word = text.run(start, 32, |b| {
        b.is_ascii_alphanumeric() || b"_-".contains(&b)
    });
    let sign = text.blanks(text.run(word, 4, |b| b"\\\"'".contains(&b)));
    text.get(start) == Some(b'#') || (word > start && matches!(text.get(sign), Some(b':' | b'=')))
}

/// True if the name is the value of a field (`name: PASSWORD`), or a literal before a block.
fn holds_name(text: &Text<'_>, name: &Name, closed: usize) -> bool {
    let open = text.run_back(name.start, 4, |b| b"\\\"'".contains(&b));
    let before = text.run_back(open, 8, is_blank);
    let sign = before.checked_sub(1).and_then(|at| text.get(at));
    let block = closed > name.end && text.get(text.blanks(closed)) == Some(b'{');
    block || sign.is_some_and(|b| b":=".contains(&b))
}

/// Returns the secret in the field called `field`, whose value begins at `at`.
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
            // Code is ruled out by the setting's name, not by that of the field.
            let alone = text.get(sign) == Some(b':') && at > sign + 1 && is_setting;
            alone.then(|| entry::setting(text, field, at)).flatten()
        })
}
