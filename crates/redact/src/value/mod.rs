//! Decides whether a value is a secret.
//!
//! Ordinary source code is full of placeholders, names of variables, types and words of
//! documentation in possible places of a secret. We judge a value by the kind of secret promised by
//! its name, and by its notation ([`Form`]). For example, the literal in `password = "swordfish1"`
//! may be a password, whereas without quotes it may be a variable.

pub(crate) mod about;
pub(crate) mod chosen;
pub(crate) mod dotted;
pub(crate) mod generated;
pub(crate) mod language;
pub(crate) mod letters;
pub(crate) mod random;
pub(crate) mod sequence;
pub(crate) mod shape;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use windlass_base::is_on;

use crate::name::kind_of;
use crate::name_kind::Kind;
use crate::value::about::is_about_secrets;
use crate::value::generated::is_generated;
use crate::value::language::{
    holds_method, is_example_password, is_method, is_prose, is_short_word, is_stand_in,
};
use crate::value::letters::{
    has_digit, has_letter, has_letter_and_other, has_sign, has_symbol, is_wordy, plain_of,
};
use crate::value::random::{is_long_random, looks_like_key, looks_random};
use crate::value::sequence::is_elided;
use crate::value::shape::{
    is_address, is_cmdlet, is_evaluated, is_expression, is_template, shapes,
};

/// The notation of a value. It decides what else the value could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A quoted literal, or one in a place without code. It may still be a label or a template.
    Literal,
    /// An argument or an element of a list. Others beside it may be labels, names and words.
    Argument,
    /// An unquoted value that is more likely a literal than code, as with `PASSWORD=…` on a line of
    /// its own.
    Plain,
    /// An unquoted value that can only be a literal, as in environments and configuration.
    Config,
    /// An unquoted value in a place for literals and code.
    Bare,
    /// A single unquoted word alone on the rest of its line, as in configuration but not in code.
    Entry,
    /// A word of a sentence after the name, possibly unrelated.
    Sentence {
        /// True if the sentence, or a part of it, ends after the value.
        last: bool,
    },
}

/// Returns true if `value`, written in `form`, is the secret promised by a name of this `kind`.
pub(crate) fn is_secret(kind: Kind, form: Form, value: &str) -> bool {
    let shaped = match form {
        Form::Literal => {
            is_literal_secret(kind, value) && !(kind == Kind::Password && is_short_word(value))
        }
        Form::Argument => is_argument_secret(kind, value),
        Form::Plain => is_plain_secret(kind, value),
        Form::Config => is_plain_secret(kind, value) || chosen::is_in_config(kind, value),
        Form::Bare => is_bare_secret(kind, value),
        Form::Sentence { last } => is_secret_in_sentence(kind, value, last),
        Form::Entry => chosen::is_entry(kind, value),
    };
    // Whatever the form, a placeholder isn't a secret.
    shaped && !is_template(value) && !is_stand_in(value) && !chosen::is_to_be_replaced(value)
}

/// Judges `text`, the whole content of a record's field called `name`, as a literal.
pub(crate) fn is_secret_field(name: &str, text: &str) -> bool {
    kind_of(name.as_bytes()).is_some_and(|kind| is_secret(kind, Form::Literal, text.trim()))
}

fn is_plain_secret(kind: Kind, value: &str) -> bool {
    if is_generated_password(kind, value) {
        return true;
    }
    is_literal_secret(kind, value)
        && !is_evaluated(value)
        // A name with dots or underscores is usually code, such as `config.db.password`. The last
        // two conditions let the secrets among these names through.
        && (!value.contains(['.', '_'])
            || !shapes().identifier_chain.is_of(value)
            || is_long_random(value)
            || dotted::is_secret(kind, value))
}

pub(crate) fn is_literal_secret(kind: Kind, value: &str) -> bool {
    // A part of a longer text often has blanks at its ends, unlike a secret.
    if value.trim_ascii() != value || is_address(value) {
        return false;
    }
    let phrase = value.contains(char::is_whitespace);
    match kind {
        Kind::Password | Kind::Pass if phrase => {
            value.contains(char::is_alphabetic) && !is_prose(value)
        }
        Kind::Password => {
            (!is_about_secrets(value) || chosen::is_numbered(value))
                // Numbers are limits or error codes, unless they look like a PIN.
                && (!shapes().number.is_of(value) || shapes().pin.is_of(value))
        }
        Kind::Pass => is_pass_value(value),
        Kind::Secret if phrase => value.len() >= 8 && !is_prose(value) && has_symbol(value),
        Kind::Secret => {
            let is_numbered = has_digit(value) && has_sign(value);
            value.len() >= 8
                && has_letter(value)
                && (!is_wordy(value) || is_numbered)
                && !shapes().number.is_of(value)
        }
        Kind::Key => looks_like_key(value),
        Kind::Access | Kind::Token => value.len() >= 12 && looks_random(value),
    }
}

/// Like [`is_literal_secret`], but for places where labels, names and words are more common. A word
/// with a number is only a password without the signs of names.
fn is_argument_secret(kind: Kind, value: &str) -> bool {
    let is_numbered = has_letter(value) && has_digit(value);
    let own = match kind {
        Kind::Password | Kind::Pass => {
            let is_name = value.contains(['_', '-', '.', '/']) || is_method(value);
            is_generated_password(kind, value)
                || (value.len() >= 6 && (!is_wordy(value) || (is_numbered && !is_name)))
        }
        Kind::Secret | Kind::Access | Kind::Token | Kind::Key => {
            is_numbered && is_literal_secret(kind, value)
        }
    };
    is_on("redact.argument")
        && own
        && !is_address(value)
        && !value.contains(char::is_whitespace)
        && !is_about_secrets(value)
}

/// Returns true if the value of a `pass` is neither a stage of a program nor a test's verdict.
/// Those only contain the signs of names.
fn is_pass_value(value: &str) -> bool {
    let is_numbered = has_digit(value) && has_sign(value);
    value.len() >= 6 && !shapes().number.is_of(value) && (is_numbered || !is_wordy(value))
}

fn is_bare_secret(kind: Kind, value: &str) -> bool {
    if is_generated_password(kind, value) {
        return true;
    }
    let literal = match kind {
        Kind::Password => {
            // Without quotes, a plain word is most likely a variable. So we require a digit or a
            // sign, and that the value doesn't look like a path of names.
            let password = value.len() >= 6
                && (has_letter_and_other(value)
                    || (value.contains(char::is_alphabetic) && has_digit(value)))
                && (!shapes().identifier_chain.is_of(value)
                    || is_long_random(value)
                    || chosen::is_leet(value))
                && !shapes().number.is_of(value)
                && !is_about_secrets(value)
                && !is_address(value)
                && !is_cmdlet(value);
            password || shapes().pin.is_of(value)
        }
        Kind::Pass => is_pass_value(value),
        Kind::Secret | Kind::Access | Kind::Token | Kind::Key => {
            value.len() >= 16 && looks_random(value) && (kind != Kind::Key || looks_like_key(value))
        }
    };
    literal && !value.contains(char::is_whitespace) && !is_expression(value)
}

/// Returns true for a password that looks generated rather than like code.
fn is_generated_password(kind: Kind, value: &str) -> bool {
    is_on("redact.generated") && matches!(kind, Kind::Password | Kind::Pass) && is_generated(value)
}

/// Like [`is_bare_secret`], but for a word of a sentence.
///
/// Words of a language do not contain digits, so a digit gives a password away.
fn is_secret_in_sentence(kind: Kind, value: &str, last: bool) -> bool {
    let password = matches!(kind, Kind::Password | Kind::Pass);
    is_bare_secret(kind, value)
        && !holds_method(value)
        && (is_generated_password(kind, value)
            || ((!password || value.bytes().any(|b| b.is_ascii_digit()))
                && (!is_wordy(value) || (last && !is_method(value)))))
}

pub(crate) fn is_url_password(value: &str) -> bool {
    let plain = plain_of(value);
    let is_typed = plain.chars().count() >= 4 && plain.contains(char::is_alphanumeric);
    // Documentation shows URLs with a password to be filled in.
    let is_said = plain.contains(' ') && is_prose(&plain);
    let is_shown = is_said || is_stand_in(&plain) || is_template(value) || is_expression(value);
    is_typed && !is_shown && (!shapes().number.is_of(value) || shapes().pin.is_of(value))
}

pub(crate) fn is_credential(value: &str) -> bool {
    !is_wordy(value) && !is_stand_in(value) && !is_elided(value)
}

/// Returns true if the value after `Basic` in a header is a name and a password in base64.
///
/// A value that cannot be decoded, for example because it was cut, only has to look like a
/// credential.
pub(crate) fn is_basic_header(value: &str) -> bool {
    decoded(value).map_or_else(|| is_credential(value), |text| is_login(&text))
}

/// Returns true for a user and a password in base64, as used by HTTP and registries.
pub(crate) fn is_basic(value: &str) -> bool {
    decoded(value).is_some_and(|text| is_login(&text))
}

fn decoded(value: &str) -> Option<String> {
    let decoded = STANDARD_NO_PAD.decode(value.trim_end_matches('='));
    String::from_utf8(decoded.ok()?).ok()
}

fn is_login(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, password)| {
        let is_text = |part: &str| !part.is_empty() && !part.contains(char::is_control);
        is_text(name) && is_text(password) && !is_example_password(password)
    })
}

/// Returns true if a command's argument is a literal password, e.g. `-pVALUE` or `-u user:VALUE`.
pub(crate) fn is_argument(value: &str) -> bool {
    !is_stand_in(value) && !is_template(value) && !is_about_secrets(value) && !is_elided(value)
}

/// Returns true if a command's argument is a password in a place that may also contain words of an
/// explanation. In contrast to [`is_argument`], it needs both a digit and a letter.
pub(crate) fn is_argument_with_sign(value: &str) -> bool {
    has_digit(value) && has_letter(value) && is_argument(value) && !is_expression(value)
}
