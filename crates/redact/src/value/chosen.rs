//! Secrets made by people from words and a few digits (`correct_horse_battery`, `s3cr3t_pw`,
//! `my-db-pass-1`). Names of variables look the same, so the surroundings decide.

use crate::name_kind::Kind;
use crate::value::about::is_about_secrets;
use crate::value::dotted;
use crate::value::is_literal_secret;
use crate::value::language::{holds_method, is_describing, is_method};
use crate::value::letters::{has_digit, has_letter};
use crate::value::shape::{is_evaluated, is_expression, shapes};
use windlass_base::is_on;

/// Returns true for a secret in a place without names of variables.
pub(crate) fn is_in_config(kind: Kind, value: &str) -> bool {
    // A value with such an ending is part of a list or a call.
    if !is_on("redact.in_config") || is_evaluated(value) || value.ends_with([',', ')', ';']) {
        return false;
    }
    match kind {
        Kind::Password => {
            let chain =
                value.contains('.') && shapes().identifier_chain.is_of(value) && !is_leet(value);
            is_literal_secret(kind, value) && !chain
        }
        // Resources with a secret inside also have names with dashes, such as
        // `ingress-certificate`.
        Kind::Secret => {
            is_leet(value)
                || (value.len() >= 12
                    && value.matches('_').count() >= 2
                    && is_name(value)
                    && !is_about_secrets(value))
        }
        Kind::Pass | Kind::Access | Kind::Token | Kind::Key => false,
    }
}

/// Returns true if the only word of an entry is a secret.
///
/// A name would contain two digits at most, or describe something.
pub(crate) fn is_entry(kind: Kind, value: &str) -> bool {
    let is_long = value.len() >= 8;
    let is_small = value.bytes().all(|b| b.is_ascii_lowercase());
    match kind {
        Kind::Password if is_long && is_small => !is_describing(value),
        Kind::Password if dotted::is_secret(kind, value) || is_name_with_number(value) => true,
        Kind::Password | Kind::Secret => is_long && is_leet(value) && !is_expression(value),
        Kind::Pass | Kind::Access | Kind::Token | Kind::Key => false,
    }
}

/// Returns true for words with separators and a number, such as `my-db-pass-1`. Examples in
/// documentation count up: `my_password_123`.
pub(crate) fn is_numbered(value: &str) -> bool {
    let number = &value[value.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
    let counts_up = number.len() >= 2 && "01234567890".contains(number);
    value.contains(['-', '_']) && is_name(value) && has_digit(value) && !counts_up
}

/// Returns true for a name with a number that is neither a method nor a label, such as
/// `Mueller_1987`.
fn is_name_with_number(value: &str) -> bool {
    value.len() >= 6
        && value.contains('_')
        && is_numbered(value)
        && has_letter(value)
        && !is_about_secrets(value)
        && !is_method(value)
        && !holds_method(value)
}

/// Returns true for a word with digits in place of letters, or with random letters and digits, such
/// as `s3cr3t` or `pa55word`.
pub(crate) fn is_leet(value: &str) -> bool {
    let mut parts = value.split(|c: char| !c.is_ascii_alphanumeric());
    let is_leet = |part: &str| part.len() >= 5 && has_digits_inside(part) && !holds_method(part);
    is_on("redact.leet") && parts.any(is_leet)
}

/// Returns true for one or two digits between lower-case letters.
///
/// Terms have their digits elsewhere: either they begin with the letter of their number (`x509`,
/// `p256`), or [`holds_method`] recognizes them.
fn has_digits_inside(part: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let runs = part.split(|c: char| !c.is_ascii_digit());
    let short = runs.clone().all(|run| run.len() <= 2);
    let from = part.find(is_digit).unwrap_or(0);
    let to = part.rfind(is_digit).unwrap_or(0);
    let letter = |at: Option<u8>| at.is_some_and(|b| b.is_ascii_lowercase());
    short
        && letter(from.checked_sub(1).map(|at| part.as_bytes()[at]))
        && letter(part.as_bytes().get(to + 1).copied())
}

/// Returns true for letters, digits, and characters for joining them into a name.
fn is_name(value: &str) -> bool {
    value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Returns true if the value asks to be replaced, as in `your-token-here`.
pub(crate) fn is_to_be_replaced(value: &str) -> bool {
    const FIRST: [&str; 8] = [
        "your", "enter", "put", "paste", "insert", "replace", "change", "example",
    ];
    let lower = value.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let first = words.next().is_some_and(|word| FIRST.contains(&word));
    let last = words.next_back();
    is_on("redact.to_be_replaced")
        && is_name(&lower)
        && last.is_some()
        && (first || last == Some("here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_digits_for_letters_are_known() {
        for value in [
            "s3cr3t_root_pw",
            "pa55word",
            "my-s3cr3t",
            "h0rse_b4ttery",
            "Tr0ub4dor",
        ] {
            assert!(is_leet(value), "{value}");
        }
        for value in [
            "user2",
            "x509cert",
            "sha1sum",
            "md5_of",
            "utf8str",
            "base64_key",
            "k8s-secret",
            "oauth2token",
            "p256key",
            "http2server",
            "item_2_x",
            "ed25519key",
            "int32ptr",
        ] {
            assert!(!is_leet(value), "{value}");
        }
    }

    #[test]
    fn what_is_to_be_replaced_is_known() {
        for value in [
            "your-token-here",
            "your_password_1",
            "put_it_here",
            "ENTER-PASSWORD-2",
        ] {
            assert!(is_to_be_replaced(value), "{value}");
        }
        for value in ["yourself1", "hunter2", "we-are-here-2-stay"] {
            assert!(!is_to_be_replaced(value), "{value}");
        }
    }
}
