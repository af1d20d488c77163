//! Judges values.
//!
//! Ordinary source code is full of placeholders, names of variables, types and words of
//! documentation in places where a secret could be. A value is judged by the kind of secret that
//! its name promises, and by its notation ([`Form`]). For example, `password = "swordfish1"` has a
//! literal that may be a password. Without quotes, a value in code may be a variable.

pub(crate) mod about;
pub(crate) mod chosen;
pub(crate) mod dotted;
pub(crate) mod generated;
pub(crate) mod language;
pub(crate) mod letters;
pub(crate) mod made_up;
pub(crate) mod published;
pub(crate) mod random;
pub(crate) mod sequence;
pub(crate) mod shape;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use windlass_base::is_on;

use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::value::about::is_about_secrets;
use crate::value::generated::{is_generated, is_generated_text};
use crate::value::language::{
    holds_method, is_describing, is_dice_phrase, is_kinds, is_long_word, is_message, is_method,
    is_method_name, is_prose, is_short_word, is_stand_in,
};
use crate::value::letters::{
    has_digit, has_letter, has_letter_and_other, has_symbol, is_scrambled, is_word, is_wordy,
    plain_of,
};
use crate::value::made_up::is_example_password;
use crate::value::random::{is_long_random, looks_like_key, looks_random};
use crate::value::sequence::is_elided;
use crate::value::shape::{
    is_address, is_cmdlet, is_constant_name, is_evaluated, is_expression, is_identifier_chain,
    is_number, is_pattern, is_pin, is_template,
};

/// The notation of a value, which decides what else the value could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A literal, either quoted or where there can't be code. It may still be a label or a
    /// template.
    Literal,
    /// A literal used in place of a missing value, or a message that it's missing.
    Fallback,
    /// A literal that's an argument beside its name, or a word in a list of words.
    Argument,
    /// A literal passed to something that plainly sets a password. A single word may still be a
    /// label, but not a word with a number.
    Given,
    /// A table cell below a head that names secrets, where there can't be code.
    Cell,
    /// One of the values in a list, where others may be names and words.
    Element,
    /// An unquoted value that's more likely a literal than code, as with `PASSWORD=…` on a line of
    /// its own.
    Plain,
    /// An unquoted value that can only be a literal, as in environments and configuration.
    Config,
    /// An unquoted value where there may be code as well.
    Bare,
    /// Several unquoted words, which may be prose as well.
    Phrase,
    /// A single unquoted word with the rest of its line to itself, as in configuration but not in
    /// code.
    Entry,
    /// A word of a sentence behind the name. It may just be the sentence's next word.
    Sentence {
        /// True if the sentence, or a part of it, ends after the value.
        last: bool,
    },
}

/// True if `value`, written in `form`, is the secret promised by a name of this `kind`.
pub(crate) fn is_secret(kind: Kind, form: Form, value: &str) -> bool {
    let shaped = match form {
        Form::Literal => {
            is_literal_secret(kind, value) && !(kind == Kind::Password && is_short_word(value))
        }
        Form::Fallback => !is_message(value) && is_literal_secret(kind, value),
        Form::Element => is_element(kind, value),
        Form::Given => is_given(kind, value) || is_argument_secret(kind, value),
        Form::Argument => is_argument_secret(kind, value),
        Form::Plain => is_plain_secret(kind, value),
        Form::Cell => is_plain_secret(kind, value) || is_cell(kind, value),
        Form::Config => is_plain_secret(kind, value) || chosen::is_in_config(kind, value),
        Form::Bare => is_bare_secret(kind, value),
        Form::Sentence { last } => is_secret_in_sentence(kind, value, last),
        Form::Phrase => {
            matches!(kind, Kind::Password | Kind::Secret)
                && !is_prose(value)
                && (value
                    .split_whitespace()
                    .any(|word| is_scrambled(word) || has_odd_sign(word))
                    || (kind == Kind::Password
                        && (is_dice_phrase(value) || chosen::is_phrase(value))))
        }
        Form::Entry => is_entry_secret(kind, value),
    };
    shaped
        && (is_generated_text(value) || !is_template(value))
        && !is_pattern(value)
        && !is_stand_in(value)
        && !chosen::is_to_be_replaced(value)
        && !is_escaped_words(kind, value)
        && !made_up::is_encoded_words(value)
        && !made_up::is_named_for_test(value)
        && !made_up::is_colour(value)
}

/// True for words or signs as escaped in an address, such as `secure%20password`.
fn is_escaped_words(kind: Kind, value: &str) -> bool {
    if !is_on("redact.escaped_words") {
        return false;
    }
    matches!(kind, Kind::Password | Kind::Pass | Kind::Secret)
        && value.contains('%')
        && (is_prose(&plain_of(value))
            || is_kinds(&plain_of(value))
            || made_up::is_escaped_example(value))
}

/// True if the text of the field `name` of a record is a secret.
pub(crate) fn is_secret_field(name: &str, text: &str) -> bool {
    kind_of(name.as_bytes()).is_some_and(|kind| is_secret(kind, Form::Literal, text.trim()))
}

fn is_plain_secret(kind: Kind, value: &str) -> bool {
    if is_generated_password(kind, value) {
        return true;
    }
    (is_literal_secret(kind, value) || (kind == Kind::Secret && is_long_word(value)))
        && !is_evaluated(value)
        && !is_constant_name(value)
        && (!value.contains(['.', '_'])
            || !is_identifier_chain(value)
            || is_long_random(value)
            || dotted::is_secret(kind, value))
}

pub(crate) fn is_literal_secret(kind: Kind, value: &str) -> bool {
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
        Kind::Pass => is_pass_value(value),
        Kind::Secret if is_generated_text(value) => true,
        Kind::Secret if phrase => value.len() >= 8 && !is_prose(value) && has_symbol(value),
        Kind::Secret => {
            value.len() >= 8
                && has_letter(value)
                && (!is_wordy(value) || is_signed(value))
                && !is_number(value)
        }
        Kind::Access | Kind::Token | Kind::Key if is_generated_text(value) => true,
        Kind::Key => looks_like_key(value),
        Kind::Access | Kind::Token => value.len() >= 12 && looks_random(value),
    }
}

/// True if `value` is a secret even where arguments may be labels.
fn is_argument_secret(kind: Kind, value: &str) -> bool {
    let strong = match kind {
        Kind::Password | Kind::Pass => {
            is_generated_password(kind, value) || (value.len() >= 6 && !is_wordy(value))
        }
        Kind::Secret | Kind::Access | Kind::Token => value.len() >= 16 && looks_random(value),
        Kind::Key => looks_like_key(value),
    };
    strong && !value.contains(char::is_whitespace) && !is_about_secrets(value)
}

/// True for a value like `Sommer2024!`, where it can't be anything but a password.
fn is_given(kind: Kind, value: &str) -> bool {
    if !is_on("redact.given") {
        return false;
    }
    kind == Kind::Password
        && value.len() >= 6
        && has_letter(value)
        && has_digit(value)
        && !value.contains(char::is_whitespace)
        && !value.contains(['/', '.', '_', '-', ':'])
        && is_literal_secret(kind, value)
        && !is_method_name(value)
        && !is_kinds(value)
}

/// True for a password with a number and any signs, in a table. Calls and paths aren't passwords.
fn is_cell(kind: Kind, value: &str) -> bool {
    if !is_on("redact.cell") {
        return false;
    }
    let is_code = value.ends_with([')', ']', '}']) || value.starts_with('$');
    let is_path = is_identifier_chain(value)
        && value.contains('.')
        && !value.ends_with('.')
        && !dotted::is_secret(kind, value);
    kind == Kind::Password
        && value.len() >= 6
        && has_letter(value)
        && has_digit(value)
        && !value.contains(char::is_whitespace)
        && is_literal_secret(kind, value)
        && !is_constant_name(value)
        && !is_method(value)
        && !holds_method(value)
        && !is_kinds(value)
        && !is_code
        && !is_path
}

/// True if an element of a list of secrets is neither a word nor a word with a number. Such a list
/// may also have names with numbers and signs.
fn is_element(kind: Kind, value: &str) -> bool {
    if !is_on("redact.element") {
        return false;
    }
    let is_numbered = has_letter(value) && has_digit(value);
    let own = match kind {
        Kind::Password | Kind::Pass => {
            let is_name = value.contains(['_', '-', '.', '/']) || is_method(value);
            value.len() >= 6 && (!is_wordy(value) || (is_numbered && !is_name))
        }
        Kind::Secret | Kind::Access | Kind::Token | Kind::Key => {
            is_numbered && is_literal_secret(kind, value)
        }
    };
    own && !value.contains(char::is_whitespace)
        && !is_about_secrets(value)
        && !is_address(value)
        && !is_method_name(value)
}

/// True if the value of a `pass` is neither the stage of a program nor the verdict of a test. Those
/// words have no signs except those of names.
fn is_pass_value(value: &str) -> bool {
    value.len() >= 6 && !is_number(value) && (is_signed(value) || !is_wordy(value))
}

/// True if there's a sign between letters that neither words nor code have there, as in `v#al`.
fn has_odd_sign(word: &str) -> bool {
    if !is_on("redact.odd_sign") {
        return false;
    }
    word.as_bytes().windows(3).any(|three| {
        three[0].is_ascii_alphanumeric()
            && b"#!".contains(&three[1])
            && three[2].is_ascii_alphanumeric()
    })
}

/// True if there's a digit, and a sign not used in names, as in `x8#kd92!lsk`.
fn is_signed(value: &str) -> bool {
    if !is_on("redact.signed") {
        return false;
    }
    has_digit(value) && value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~'])
}

fn is_bare_secret(kind: Kind, value: &str) -> bool {
    if is_generated_password(kind, value) {
        return true;
    }
    let literal = match kind {
        Kind::Password => {
            let password = value.len() >= 6
                && (has_letter_and_other(value)
                    || (value.contains(char::is_alphabetic) && has_digit(value)))
                && (!is_identifier_chain(value) || is_long_random(value) || chosen::is_leet(value))
                && !is_number(value)
                && !is_about_secrets(value)
                && !is_address(value)
                && !is_cmdlet(value);
            password || is_pin(value)
        }
        Kind::Pass => is_pass_value(value),
        Kind::Secret | Kind::Access | Kind::Token | Kind::Key => {
            value.len() >= 16
                && looks_random(value)
                && (kind != Kind::Key || looks_like_key(value))
                && !is_constant_name(value)
                && !is_path_of_types(value)
        }
    };
    literal && !value.contains(char::is_whitespace) && !is_expression(value)
}

/// True for a password made by a program that doesn't look like code.
fn is_generated_password(kind: Kind, value: &str) -> bool {
    if !is_on("redact.generated") {
        return false;
    }
    matches!(kind, Kind::Password | Kind::Pass) && is_generated(value)
}

/// True for names with the number of a method, such as `ed25519.Ed25519PrivateKey`.
fn is_path_of_types(value: &str) -> bool {
    if !is_on("redact.path_of_types") {
        return false;
    }
    let mut parts = value.split('.');
    value.contains('.') && parts.all(|part| is_word(part) || holds_method(part))
}

/// True if `value` is a secret in a sentence. The words of a language have no digits.
fn is_secret_in_sentence(kind: Kind, value: &str, last: bool) -> bool {
    let password = matches!(kind, Kind::Password | Kind::Pass);
    is_bare_secret(kind, value)
        && !holds_method(value)
        && (is_generated_password(kind, value)
            || ((!password || value.bytes().any(|b| b.is_ascii_digit()))
                && (!is_wordy(value) || (last && !is_method(value)))))
}

pub(crate) fn is_url_password(value: &str) -> bool {
    if value.contains('%') {
        let plain = plain_of(value);
        if plain.chars().count() < 4 || is_kinds(&plain) {
            return false;
        }
    }
    // Samples in URL parsers have characters nobody can type, or a word for a part of the URL.
    let is_example = made_up::is_escaped_example(value) || (is_number(value) && !is_pin(value));
    !is_example
        && !is_kinds(value)
        && !is_stand_in(value)
        && !is_template(value)
        && !is_expression(value)
}

pub(crate) fn is_credential(value: &str) -> bool {
    !is_wordy(value) && !is_stand_in(value) && !is_elided(value)
}

/// True if the value after `Basic` in a header is a name and a password in base64. It may lack one
/// character.
pub(crate) fn is_basic_header(value: &str) -> bool {
    let decoded = STANDARD_NO_PAD.decode(value.trim_end_matches('='));
    match decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(_) => is_basic(value),
        None => is_credential(value),
    }
}

/// True for a name and a password in base64, as used by HTTP and registries.
pub(crate) fn is_basic(value: &str) -> bool {
    let decoded = STANDARD_NO_PAD.decode(value.trim_end_matches('='));
    let text = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let pair = text.as_deref().and_then(|text| text.split_once(':'));
    pair.is_some_and(|(name, password)| {
        let is_text = |part: &str| !part.is_empty() && !part.contains(char::is_control);
        is_text(name) && is_text(password) && !is_example_password(password)
    })
}

/// True if a command's argument is a literal password, as in `-pVALUE` or `-u user:VALUE`.
pub(crate) fn is_argument(value: &str) -> bool {
    !is_stand_in(value) && !is_template(value) && !is_about_secrets(value) && !is_elided(value)
}

/// True if a command's argument in a password's place is one. There may also be words of an
/// explanation.
pub(crate) fn is_argument_with_sign(value: &str) -> bool {
    has_digit(value) && has_letter(value) && is_argument(value) && !is_expression(value)
}

/// True if the argument after the user in a function call is a password. In code, it may also be a
/// label.
pub(crate) fn is_login_password(value: &str) -> bool {
    is_secret(Kind::Password, Form::Given, value)
}

/// True for a name with a number that's neither a method nor a kind of value, such as
/// `Mueller_1987`.
fn is_name_with_number(value: &str) -> bool {
    if !is_on("redact.name_with_number") {
        return false;
    }
    value.contains('_')
        && chosen::is_numbered(value)
        && has_letter(value)
        && !is_about_secrets(value)
        && !is_method(value)
        && !holds_method(value)
        && !is_kinds(value)
}

/// True if the only word of an entry is a secret, judged like a quoted value.
fn is_entry_secret(kind: Kind, value: &str) -> bool {
    let leet = || value.len() >= 8 && chosen::is_leet(value) && !is_expression(value);
    match kind {
        Kind::Password | Kind::Secret if leet() => true,
        Kind::Password if dotted::is_secret(kind, value) || is_name_with_number(value) => true,
        Kind::Password => {
            value.len() >= 8
                && value.bytes().all(|b| b.is_ascii_lowercase())
                && !is_describing(value)
        }
        // Names have a digit or two. `x509` and the like have other words around that explain them.
        Kind::Secret => {
            value.bytes().all(|b| b.is_ascii_alphanumeric())
                && value.bytes().filter(u8::is_ascii_digit).count() >= 3
                && is_literal_secret(kind, value)
                && !holds_method(value)
        }
        Kind::Pass | Kind::Access | Kind::Token | Kind::Key => false,
    }
}
