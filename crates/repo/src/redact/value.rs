//! Whether a value is a secret or only looks like one: placeholders, names of variables, types and words
//! of documentation are what ordinary source code is full of.

use base64::Engine as _;

use super::chosen;
use super::name::{Kind, kind_of};

/// How a value is written, and so what else it could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A literal: quoted, or where nothing else can stand. It may still be a label or a template.
    Literal,
    /// A literal that is an argument beside its name; so are lists of words.
    Argument,
    /// Without quotes, where a literal stands more often than code: `PASSWORD=…` on a line of its own.
    Plain,
    /// Without quotes, where nothing but a literal can stand: environments, configuration.
    Config,
    /// Without quotes, where code could stand as well.
    Bare,
    /// Several words without quotes, where prose could stand as well.
    Phrase,
    /// One word without quotes that has the rest of its line for itself, as configuration has it and code does not.
    Entry,
    /// A word that a sentence tells: it may be no more than the next word. Whether it is the `last` one, or is marked.
    Told {
        /// Whether the sentence, or a part of it, ends behind it.
        last: bool,
    },
}

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
    "email",
];

/// Parts of words by which a label or a message about secrets is known.
const ABOUT_SECRETS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "field",
    "input",
    "label",
    "text",
    "invalid",
    "error",
    // What a password is called in translations.
    "contrase",
    "kennwort",
    "senha",
    "wachtwoord",
    "lösen",
    "hasło",
    "heslo",
    "парол",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];

/// Words that sentences cannot do without, and passphrases can.
const PROSE: &[&str] = &[
    "a", "an", "the", "is", "are", "was", "be", "been", "of", "to", "for", "and", "or", "not",
    "with", "by", "your", "you", "this", "that", "must", "should", "if", "it", "its", "from",
    "can", "has", "have", "when", "which", "enter", "please", "does", "don't", "your's", "user's",
    "e.g.", "i.e.",
];

/// Words that describe a password or its place, and do not end as most of these do.
const DESCRIPTIONS: &[&str] = &[
    "any",
    "all",
    "in",
    "on",
    "at",
    "as",
    "no",
    "only",
    "use",
    "via",
    "see",
    "set",
    "new",
    "old",
    "same",
    "plain",
    "will",
    "may",
    "but",
    "than",
    "then",
    "before",
    "after",
    "least",
    "database",
    "server",
    "login",
    "account",
    "client",
    "service",
    "parameter",
    "attribute",
    "property",
    "reference",
    "constant",
    "document",
    "character",
    "characters",
    "whatever",
    "default",
    "secret",
    "hash",
    "min",
    "max",
    "length",
    "their",
    "they",
    "them",
    "what",
    "who",
    "how",
    "there",
    "these",
    "those",
    "into",
    "until",
    "while",
    "also",
    "just",
    "more",
    "most",
    "some",
    "such",
    "each",
    "every",
    "other",
    "same",
    "first",
    "second",
    "last",
    "next",
];

/// Ends of words that describe: `encrypted`, `generated`, `authentication`.
const DESCRIBING_ENDS: &[&str] = &[
    "ed", "ing", "able", "ible", "tion", "ment", "ory", "ary", "ive", "ally", "ity", "al",
];

/// Words with a number that name how something is stored or sent.
const METHODS: &[&str] = &[
    "int", "uint", "float", "mp", "sha", "md", "base", "utf", "aes", "rsa", "rfc", "iso", "argon",
    "pbkdf", "bcrypt", "oauth", "ed", "http", "ascii", "latin", "win", "windows", "version",
    "level", "ipv", "crypt", "pkcs",
];

/// Whether `value`, which `form` says how it is written, is the secret that a name of this `kind` promises.
pub(super) fn is_secret(kind: Kind, form: Form, value: &str) -> bool {
    let shaped = match form {
        Form::Literal => is_literal_secret(kind, value),
        Form::Argument => {
            let strong = match kind {
                Kind::Password | Kind::Pass => value.len() >= 6 && !is_wordy(value),
                Kind::Secret | Kind::Access | Kind::Token => {
                    value.len() >= 16 && looks_random(value)
                }
            };
            strong && !value.contains(char::is_whitespace) && !is_about_secrets(value)
        }
        Form::Plain => is_plain_secret(kind, value),
        Form::Config => is_plain_secret(kind, value) || chosen::is_in_config(kind, value),
        Form::Bare => is_bare_secret(kind, value),
        Form::Told { last } => is_told_secret(kind, value, last),
        Form::Phrase => {
            matches!(kind, Kind::Password | Kind::Secret)
                && !is_prose(value)
                && (value.split_whitespace().any(is_scrambled)
                    || (kind == Kind::Password && is_dice_phrase(value)))
        }
        Form::Entry => is_entry_secret(kind, value),
    };
    shaped && !is_template(value) && !is_stand_in(value) && !chosen::is_to_be_replaced(value)
}

/// Whether the text of the field `name` of a record is a secret.
pub(super) fn is_secret_field(name: &str, text: &str) -> bool {
    kind_of(name.as_bytes()).is_some_and(|kind| is_secret(kind, Form::Literal, text.trim()))
}

fn is_plain_secret(kind: Kind, value: &str) -> bool {
    (is_literal_secret(kind, value) || (kind == Kind::Secret && is_long_word(value)))
        && !is_evaluated(value)
        && !is_constant_name(value)
        && (!value.contains(['.', '_']) || !is_identifier_chain(value) || is_long_random(value))
}

/// A call, an index, or what a shell puts in.
pub(super) fn is_evaluated(value: &str) -> bool {
    is_call_or_index(value) || ["$(", "${"].iter().any(|start| value.starts_with(start))
}

pub(super) fn is_literal_secret(kind: Kind, value: &str) -> bool {
    if value.trim_ascii() != value || is_address(value) {
        return false;
    }
    let phrase = value.contains(char::is_whitespace);
    match kind {
        Kind::Password | Kind::Pass if phrase => !is_prose(value),
        Kind::Password => {
            (!is_about_secrets(value) || chosen::is_numbered(value))
                && (!is_number(value) || is_pin(value))
        }
        Kind::Pass => is_no_stage(value),
        Kind::Secret if phrase => value.len() >= 8 && !is_prose(value) && has_symbol(value),
        Kind::Secret => {
            value.len() >= 8 && has_letter(value) && !is_wordy(value) && !is_number(value)
        }
        Kind::Access if chosen::is_numbered_token(value) => value.len() >= 12,
        Kind::Access | Kind::Token => value.len() >= 12 && looks_random(value),
    }
}

/// What a `pass` is not that a program makes or a test ends with: words there have no signs but those of names.
fn is_no_stage(value: &str) -> bool {
    let signed = value.bytes().any(|b| b.is_ascii_digit())
        && value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~']);
    value.len() >= 6 && !is_number(value) && (signed || !is_wordy(value))
}

fn is_bare_secret(kind: Kind, value: &str) -> bool {
    let literal = match kind {
        Kind::Password => {
            let password = value.len() >= 6
                && has_letter_and_other(value)
                && (!is_identifier_chain(value) || is_long_random(value) || chosen::is_leet(value))
                && !is_number(value)
                && !is_about_secrets(value)
                && !is_address(value);
            password || is_pin(value)
        }
        Kind::Pass => is_no_stage(value),
        Kind::Secret | Kind::Access | Kind::Token => {
            value.len() >= 16 && looks_random(value) && !is_constant_name(value)
        }
    };
    literal && !value.contains(char::is_whitespace) && !is_expression(value)
}

/// Whether a sentence tells a secret with `value`: words of the language have no digits in them.
fn is_told_secret(kind: Kind, value: &str, last: bool) -> bool {
    let password = matches!(kind, Kind::Password | Kind::Pass);
    is_bare_secret(kind, value)
        && (!password || value.bytes().any(|b| b.is_ascii_digit()))
        && (!is_wordy(value) || (last && !is_method(value)))
}

/// `sha256`, `utf-8`, `AES-256-GCM`
pub(super) fn is_method(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| {
            let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
            METHODS
                .iter()
                .any(|method| stem.eq_ignore_ascii_case(method))
        })
}

/// Too scrambled for a name, and no path of names.
fn is_long_random(value: &str) -> bool {
    value.len() >= 16 && !value.contains('.') && looks_random(value)
}

pub(super) fn is_url_password(value: &str) -> bool {
    !is_stand_in(value) && !is_template(value) && !is_expression(value)
}

pub(super) fn is_credential(value: &str) -> bool {
    !is_wordy(value) && !is_stand_in(value)
}

/// A name and a password in base64, as HTTP and registries have them.
pub(super) fn is_basic(value: &str) -> bool {
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    let decoded = STANDARD_NO_PAD.decode(value.trim_end_matches('='));
    let text = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let pair = text.as_deref().and_then(|text| text.split_once(':'));
    pair.is_some_and(|(name, password)| {
        let is_text = |part: &str| !part.is_empty() && !part.contains(char::is_control);
        is_text(name) && is_text(password)
    })
}

/// What was written down for a command: `-pVALUE`, `-u user:VALUE`.
pub(super) fn is_argument(value: &str) -> bool {
    !is_stand_in(value) && !is_template(value) && !is_about_secrets(value)
}

/// A placeholder, a kind of value, or the same character over and over.
fn is_stand_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut bytes = lower.bytes();
    let first = bytes.next();
    lower.len() < 4
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

/// Something that is filled in elsewhere: as a whole (`<token>`, `$TOKEN`, `%TOKEN%`, `{token}`), or in a
/// part (`${TOKEN}`, `{{ token }}`, `%s`).
fn is_template(value: &str) -> bool {
    let inner = |start: &str, end: &str| {
        value
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
    };
    let whole = inner("<", ">")
        .or(inner("{", "}"))
        .or(inner("[", "]"))
        .or(inner("((", "))"))
        .or(inner("%", "%"))
        .or(inner("@", "@"))
        .or(inner("__", "__"))
        .is_some_and(|name| {
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b" _-.:/|'".contains(&b))
        });
    let variable = value.strip_prefix('$').is_some_and(is_path_of_names);
    whole || variable || holds_template(value)
}

/// Whether a part of the value is filled in elsewhere.
fn holds_template(value: &str) -> bool {
    const PARTS: [(&str, &str); 7] = [
        ("${", "}"),
        ("{{", "}}"),
        ("$(", ")"),
        ("#{", "}"),
        ("<%", "%>"),
        ("%(", ")s"),
        ("\\(", ")"),
    ];
    let part = PARTS.iter().any(|(start, end)| {
        value
            .split_once(start)
            .is_some_and(|(_, rest)| rest.contains(end))
    });
    let named = value.split_once('{').is_some_and(|(_, rest)| {
        rest.split_once('}')
            .is_some_and(|(name, _)| name.is_empty() || is_path_of_names(name))
    });
    part || named || ["%s", "%v", "%d"].iter().any(|verb| value.contains(verb))
}

/// `name`, `env:NAME`, `config.password`, `user->password`, `parts[1]`.
fn is_path_of_names(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:->[]".contains(&b))
}

/// Code that is evaluated, not a literal.
pub(super) fn is_expression(value: &str) -> bool {
    const STARTS: [&str; 14] = [
        "$", "<", "{", "%", "@", "&", "*", "[", "(", "!", "process.", "os.", "env.", "self.",
    ];
    const HOLDS: [&str; 11] = [
        "${", "{{", "$(", "(", "::", "->", "=>", "<%", "{}", "||", "?.",
    ];
    is_call_or_index(value)
        || value.starts_with("this.")
        || STARTS.iter().any(|start| value.starts_with(start))
        || HOLDS.iter().any(|part| value.contains(part))
}

/// `f(…)`, `map[…]`
fn is_call_or_index(value: &str) -> bool {
    let name = value
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b))
        .count();
    name > 0 && matches!(value.as_bytes().get(name), Some(b'[' | b'('))
}

/// A place on the web or of a file.
fn is_address(value: &str) -> bool {
    ["http://", "https://", "file:", "./", "../", "~/"]
        .iter()
        .any(|start| value.starts_with(start))
        || (value.starts_with('/') && value[1..].contains('/') && is_wordy(value))
}

/// `config.password`, `user_password`, `PASSWORD_FIELD`: the value is a name, or a path of names.
pub(super) fn is_identifier_chain(value: &str) -> bool {
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
    const SUFFIXES: [&str; 18] = [
        "", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "usize", "isize", "f32", "f64",
        "L", "UL", "u", "U", "n",
    ];
    let hex = value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .is_some_and(|digits| {
            let count = digits.bytes().filter(u8::is_ascii_hexdigit).count();
            // What no register holds is a key.
            count <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_')
        });
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    hex || (digits.len() < value.len() && SUFFIXES.contains(&digits))
}

/// A quoted number that can only be typed in: `"123456"`.
fn is_pin(value: &str) -> bool {
    value.len() >= 6 && value.bytes().all(|b| b.is_ascii_digit())
}

/// `D3D10_SB_RETURN_TYPE`: the name of a constant.
pub(super) fn is_constant_name(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Letters and separators only, among them a word such as `password`: a label, a key, a message's name.
pub(super) fn is_about_secrets(value: &str) -> bool {
    let lower = value.to_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    // Labels are numbered from 1: `tickpass1234` is none.
    if lower.len() - stem.len() >= 3
        && stem.bytes().all(|b| b.is_ascii_lowercase())
        && !KINDS.contains(&stem)
    {
        return false;
    }
    let plain = stem
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | '.' | ':' | '/' | '?' | '!'));
    plain && ABOUT_SECRETS.iter().any(|word| lower.contains(word))
}

/// Several words that say something: a sentence, a label, a message.
fn is_prose(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = lower
        .split_whitespace()
        .map(|word| word.trim_matches([',', '.', '(', ')', ':', '"', '\'', '`', '?', '!']));
    // Letters and digits in one word are no language.
    let language = words
        .clone()
        .all(|word| !(has_letter(word) && word.bytes().any(|b| b.is_ascii_digit())));
    // What the words are about does not tell `my secret phrase` from a sentence.
    let small = words.clone().count() >= 3 && value.starts_with(|c: char| c.is_lowercase());
    let sentence = language
        && words.clone().any(|word| {
            PROSE.contains(&word) || (is_about_secrets(word) && !(small && word == "secret"))
        });
    // `Minimum eight characters`
    let title = value.starts_with(|c: char| c.is_uppercase())
        && value
            .chars()
            .all(|c| c.is_alphabetic() || c.is_whitespace() || ",.:;!?()-'…".contains(c));
    let letters = words
        .clone()
        .all(|word| word.is_empty() || word.chars().all(char::is_alphabetic));
    sentence || title || (letters && words.count() < 3)
}

/// Words as dice choose them, of which none is needed to describe something.
fn is_dice_phrase(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let small = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    words.clone().count() >= 4 && words.all(|word| small(word) && !is_describing(word))
}

/// Whether a word tells what kind of thing a password is or what becomes of it, as documentation does.
fn is_describing(word: &str) -> bool {
    KINDS.contains(&word)
        || PROSE.contains(&word)
        || DESCRIPTIONS.contains(&word)
        || is_about_secrets(word)
        || ["string", "bytes", "type"]
            .iter()
            .any(|part| word.contains(part))
        || DESCRIBING_ENDS.iter().any(|end| word.ends_with(end))
}

/// Whether the one word of an entry is a secret, that would be one between quotes.
fn is_entry_secret(kind: Kind, value: &str) -> bool {
    let leet = || value.len() >= 8 && chosen::is_leet(value) && !is_expression(value);
    match kind {
        Kind::Password | Kind::Secret if leet() => true,
        Kind::Password => {
            value.len() >= 8
                && value.bytes().all(|b| b.is_ascii_lowercase())
                && !is_describing(value)
        }
        // Names have a digit or two; `x509` and its like have words around that say so.
        Kind::Secret => {
            value.bytes().all(|b| b.is_ascii_alphanumeric())
                && value.bytes().filter(u8::is_ascii_digit).count() >= 3
                && is_literal_secret(kind, value)
                && !holds_method(value)
        }
        Kind::Pass | Kind::Access | Kind::Token => false,
    }
}

/// Whether a method with its number is a part of the value: `sha256sum`, `x509cert`.
pub(super) fn holds_method(value: &str) -> bool {
    let lower = value.to_lowercase();
    METHODS.iter().chain(&["x", "p", "secp"]).any(|method| {
        lower
            .strip_prefix(method)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Longer than a word of the language, and no name of several.
fn is_long_word(value: &str) -> bool {
    value.len() >= 12 && value.bytes().all(|b| b.is_ascii_lowercase()) && !is_describing(value)
}

/// A word with a digit between letters, or a sign that words have not: `Tr0ub4dor`, `$taple`.
fn is_scrambled(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digit_inside = bytes.windows(3).any(|three| {
        three[0].is_ascii_alphabetic()
            && three[1].is_ascii_digit()
            && three[2].is_ascii_alphabetic()
    });
    let sign_beside = bytes
        .windows(2)
        .any(|two| matches!(two[0], b'$' | b'@' | b'^') && two[1].is_ascii_alphanumeric());
    word.len() >= 5 && (digit_inside || sign_beside)
}

fn has_symbol(value: &str) -> bool {
    value
        .bytes()
        .any(|b| b.is_ascii_digit() || b"$#@%^&*=+|~\\/<>[]{}".contains(&b))
}

pub(super) fn has_letter(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_alphabetic())
}

fn has_letter_and_other(value: &str) -> bool {
    has_letter(value) && value.bytes().any(|b| !b.is_ascii_alphabetic())
}

/// Whether the value carries the information of a generated secret.
pub(super) fn looks_random(value: &str) -> bool {
    let literal = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_.+/=~!@#$%^*:,".contains(&b));
    literal && has_letter(value) && !is_wordy(value) && entropy(value) >= 2.8 && !is_stand_in(value)
}

/// Made of words: parts between separators and humps are letters alone, or letters and a short number.
pub(super) fn is_wordy(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .all(is_word)
}

pub(super) fn is_word(part: &str) -> bool {
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
