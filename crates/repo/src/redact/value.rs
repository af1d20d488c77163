//! Whether a value is a secret or only looks like one: placeholders, names of variables, types and words
//! of documentation are what ordinary source code is full of.

use super::MARK;

/// Words that stand where a secret will be, or say what kind of thing would.
const PLACEHOLDERS: &[&str] = &[
    "changeme",
    "change_me",
    "change-me",
    "changeit",
    "example",
    "placeholder",
    "redacted",
    "removed",
    "hidden",
    "dummy",
    "sample",
    "todo",
    "fixme",
    "replace",
    "insert",
    "your_",
    "your-",
    "yourpass",
    "yoursecret",
    "yourtoken",
    "youraccess",
    "yourapi",
    "my_secret",
    "mysecret",
    "my-secret",
    "xxxx",
    "****",
    "....",
    "----",
    "____",
    "not-a-real",
    "notreal",
    "fake",
    "lorem",
    "foobar",
    "none",
    "null",
    "undefined",
    "nil",
    "true",
    "false",
    "required",
    "optional",
    "unset",
    "n/a",
];

/// Words that are a kind of value and not a value.
const KINDS: &[&str] = &[
    "string",
    "str",
    "number",
    "integer",
    "boolean",
    "bool",
    "bytes",
    "object",
    "array",
    "text",
    "char",
    "varchar",
    "uuid",
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "user",
    "username",
    "bearer",
    "basic",
    "identifier",
    "test",
    "value",
    "data",
    "default",
    "empty",
    "env",
    "file",
];

pub(super) fn is_url_password(value: &str) -> bool {
    !is_stand_in(value) && !is_expression(value)
}

pub(super) fn is_credential(value: &str) -> bool {
    !is_wordy(value) && !is_stand_in(value)
}

/// The text of the element that `tag` opens.
pub(super) fn is_element(tag: &[u8], value: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let password = [&b"password>"[..], b"passwd>", b"passphrase>"]
        .iter()
        .any(|end| tag.ends_with(end));
    let shaped = if password {
        value.len() >= 4 && has_letter_and_other(value) && !is_identifier_chain(value)
    } else {
        value.len() >= 12 && looks_random(value)
    };
    shaped && !is_stand_in(value) && !is_expression(value)
}

/// The literal that `assignment`, a name with a sign behind it, gives a value. Cheap questions come first:
/// this is asked for every name of the kind.
pub(super) fn is_assigned(assignment: &[u8], value: &str, quoted: bool) -> bool {
    let shaped = match (is_password_name(assignment), quoted) {
        (true, true) => !is_about_secrets(value) && !is_number(value),
        (true, false) => {
            has_letter_and_other(value) && !is_identifier_chain(value) && !is_number(value)
        }
        (false, true) => value.len() >= 12 && looks_random(value),
        (false, false) => value.len() >= 16 && looks_random(value) && !is_constant_name(value),
    };
    shaped && !value.contains(char::is_whitespace) && !is_expression(value) && !is_stand_in(value)
}

/// Whether the assigned name is that of a password, which people choose short and pronounceable; the names
/// of tokens and keys go with random values only.
fn is_password_name(assignment: &[u8]) -> bool {
    let name: Vec<u8> = assignment
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .map(u8::to_ascii_lowercase)
        .collect();
    // `password_field`, `passwordLabel` and the like are about something else.
    matches!(
        name.as_slice(),
        b"password" | b"passwd" | b"pwd" | b"passphrase"
    )
}

/// A placeholder, a kind of value, or the same character over and over.
fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut bytes = lower.bytes();
    let first = bytes.next();
    lower.len() < 4
        || value.contains(MARK)
        || bytes.all(|b| Some(b) == first)
        || KINDS.contains(&lower.as_str())
        || PLACEHOLDERS
            .iter()
            .any(|word| lower.contains(word) && is_mostly(word, &lower))
}

/// Short placeholder words count only where they are a good part of the value: `none` in a random token
/// is chance.
fn is_mostly(word: &str, value: &str) -> bool {
    word.len() >= 6 && value.len() < 40 || word.len() * 2 >= value.len()
}

/// Code or a template that is evaluated elsewhere, not a literal.
fn is_expression(value: &str) -> bool {
    let starts = [
        "$", "<", "{", "%", "@", "&", "*", "[", "(", "#{", "process.", "os.", "env.", "self.",
        "this.",
    ];
    let holds = [
        "${", "{{", "$(", "(", "::", "->", "=>", "<%", "%(", "{}", "%s", "||", "?.",
    ];
    starts.iter().any(|start| value.starts_with(start))
        || holds.iter().any(|part| value.contains(part))
}

/// `config.password`, `user_password`, `PASSWORD_FIELD`: the value is a name, or a path of names.
fn is_identifier_chain(value: &str) -> bool {
    let value = value.trim_end_matches(['?', '!', ')']);
    let mut digits = 0;
    let name = value.bytes().all(|b| {
        digits += usize::from(b.is_ascii_digit());
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')
    });
    name && (digits == 0 || value.contains(['.', '_']))
        && value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// `0x1003`, `2147483737u32`, `4i32`, `1.2.840.113549`: a number as programs and standards write it.
fn is_number(value: &str) -> bool {
    let hex = value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_'));
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    let suffixes = [
        "", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "usize", "isize", "f32", "f64",
        "L", "UL", "u", "U", "n",
    ];
    hex || (digits.len() < value.len() && suffixes.contains(&digits))
}

/// `D3D10_SB_RETURN_TYPE`: the name of a constant.
fn is_constant_name(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Letters and separators only, among them a word such as `password`: a label, a key, a message's name.
fn is_about_secrets(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let plain = lower
        .bytes()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/'));
    plain
        && [
            "pass", "pwd", "secret", "token", "key", "field", "input", "label", "text", "invalid",
            "error",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

fn has_letter_and_other(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_alphabetic())
        && value.bytes().any(|b| !b.is_ascii_alphabetic())
}

/// Whether the value carries the information of a generated secret.
pub(super) fn looks_random(value: &str) -> bool {
    let literal = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_.+/=~!@#$%^*:,".contains(&b));
    literal
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !is_wordy(value)
        && entropy(value) >= 2.8
        && !is_stand_in(value)
}

/// Made of words: parts between separators and humps are letters alone, or letters and a short number.
fn is_wordy(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .all(is_word)
}

fn is_word(part: &str) -> bool {
    let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
    if part.len() - stem.len() > 4 && !stem.is_empty() {
        return false;
    }
    if stem.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    // Humps of a name are few; random letters change case all the time.
    let changes = stem
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    changes * 4 <= stem.len()
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}
