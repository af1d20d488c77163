//! Secrets that people make from words and a few digits (`correct_horse_battery`, `s3cr3t_pw`,
//! `my-db-pass-1`). They look like names of variables, so we have to judge by the place.

use crate::name_kind::Kind;
use crate::value::about::is_about_secrets;
use crate::value::is_literal_secret;
use crate::value::language::{holds_method, is_describing, is_method};
use crate::value::letters::has_letter;
use crate::value::shape::{is_constant_name, is_evaluated, is_identifier_chain};
use windlass_base::is_on;

/// True if `value` is a secret where the name of a variable can't be.
pub(crate) fn is_in_config(kind: Kind, value: &str) -> bool {
    if !is_on("redact.in_config") {
        return false;
    }
    // A value that ends like this belongs to a list or a call.
    if is_evaluated(value) || is_constant_name(value) || value.ends_with([',', ')', ';']) {
        return false;
    }
    match kind {
        Kind::Password => {
            let chain = value.contains('.') && is_identifier_chain(value) && !is_leet(value);
            is_literal_secret(kind, value) && !chain
        }
        // Things that hold a secret have names with dashes, such as `ingress-certificate`.
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

/// True for a word with digits in place of letters, or with random letters and digits, such as
/// `s3cr3t` or `pa55word`.
pub(crate) fn is_leet(value: &str) -> bool {
    if !is_on("redact.leet") {
        return false;
    }
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| part.len() >= 5 && has_digits_inside(part) && !holds_method(part))
}

/// True if there are one or two digits between lower-case letters. Terms don't have them there.
/// Either they begin with the letter of their number (`x509`, `p256`), or [`holds_method`] knows
/// them.
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

/// True for words with separators and a number that labels about passwords don't have, such as
/// `my-db-pass-1`. `my_password_123` is more likely to come from documentation.
pub(crate) fn is_numbered(value: &str) -> bool {
    if !is_on("redact.numbered") {
        return false;
    }
    is_name(value)
        && value.contains(['-', '_'])
        && !is_constant_name(value)
        && digits(value) >= 1
        && !counts_up(value)
}

/// True if there are only letters, digits, and characters that join them into a name.
fn is_name(value: &str) -> bool {
    value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

/// True if the value ends with two or more digits in sequence, such as `123`. People type those to
/// satisfy a rule.
fn counts_up(value: &str) -> bool {
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let end = &value[stem.len()..];
    end.len() >= 2 && "01234567890".contains(end)
}

/// True for a few words like `Sommer 2024!` or `x9 y8 z7`. Either the last has a number and ends
/// with a sign, or there are at least three and all have a number. None may describe something.
pub(crate) fn is_phrase(value: &str) -> bool {
    if !is_on("redact.phrase") {
        return false;
    }
    const MAX_WORDS: usize = 5;
    let words: Vec<&str> = value.split_whitespace().collect();
    let has_number = |word: &&str| has_letter(word) && digits(word) > 0 && !is_method(word);
    let is_signed = |word: &&str| {
        digits(word) > 0 && word.ends_with(['!', '$', '%', '&', '*', '+', '@', '^', '~', '#'])
    };
    let describes = |word: &&str| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        is_describing(&letters.to_lowercase())
    };
    (2..=MAX_WORDS).contains(&words.len())
        && !words.iter().any(describes)
        && (words.last().is_some_and(is_signed)
            || (words.len() > 2 && words.iter().all(has_number)))
}

/// True if the value asks to be replaced, as in `your-token-here`.
pub(crate) fn is_to_be_replaced(value: &str) -> bool {
    if !is_on("redact.to_be_replaced") {
        return false;
    }
    const FIRST: [&str; 8] = [
        "your", "enter", "put", "paste", "insert", "replace", "change", "example",
    ];
    let lower = value.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let first = words.next().is_some_and(|word| FIRST.contains(&word));
    let last = words.next_back();
    is_name(&lower) && last.is_some() && (first || last == Some("here"))
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
