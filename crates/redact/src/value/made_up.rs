//! Values recognisable as examples: repeated characters, characters in the order of the alphabet,
//! words in base64, and tokens with an elided middle.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use windlass_base::is_on;

use crate::value::about::is_about_secrets;
use crate::value::language::{is_prose, is_stand_in};
use crate::value::letters::plain_of;
use crate::value::sequence::is_sequence;
use crate::words::words;

/// True for words that describe a value, with one that marks it as a test or with a simple number.
/// Examples are `test-m2m-secret` and `m2m-access-token-12345`.
pub(crate) fn is_named_for_test(value: &str) -> bool {
    if !is_on("redact.named_for_test") {
        return false;
    }
    const LONGEST_WORD: usize = 8;
    let lists = words();
    let lower = value.to_ascii_lowercase();
    let mut words: Vec<&str> = lower.split(['-', '_', '.']).collect();
    let is_counted = words.last().is_some_and(|last| {
        let is_number = last.bytes().all(|b| b.is_ascii_digit());
        is_number && last.len() > 2 && is_sequence(last.as_bytes())
    });
    if is_counted {
        words.pop();
    }
    let is_short = |word: &&str| word.len() <= LONGEST_WORD;
    words.len() >= 2
        && words.iter().all(is_short)
        && words.iter().any(|word| lists.secrets.has(word))
        && (is_counted || words.iter().any(|word| lists.for_tests.has(word)))
}

/// True if a base64 value decodes to a description, such as `not my real password` or
/// `user:password`.
pub(crate) fn is_encoded_words(value: &str) -> bool {
    if !is_on("redact.encoded_words") {
        return false;
    }
    const LONGEST: usize = 256;
    let value = value.strip_prefix("Basic ").unwrap_or(value);
    if value.len() < 8 || value.len() > LONGEST {
        return false;
    }
    let bare = value.trim_end_matches('=');
    let decoded = STANDARD_NO_PAD
        .decode(bare)
        .or_else(|_| URL_SAFE_NO_PAD.decode(bare));
    let Some(text) = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return false;
    };
    let password = text
        .split_once(':')
        .map_or(&*text, |(_, password)| password);
    !text.contains(char::is_control) && !password.is_empty() && is_example_password(password)
}

/// True if a password is just an example of one, such as `pass`, `password1`, `a secret` or `1234`.
pub(crate) fn is_example_password(password: &str) -> bool {
    const SHORT: usize = 6;
    let is_short = password.chars().count() < SHORT
        && (password.chars().all(char::is_lowercase)
            || password.chars().all(|c| c.is_ascii_digit()));
    let is_phrase = password.contains(' ');
    let joined = || password.replace(|c: char| !c.is_alphanumeric(), "");
    is_short
        || is_stand_in(password)
        || is_about_secrets(password)
        || (is_phrase && (is_prose(password) || is_stand_in(&joined())))
}

/// True if a value is nothing but a terminal's colour sequence, after which the text may have been
/// cut.
pub(crate) fn is_colour(value: &str) -> bool {
    if !is_on("redact.colour") {
        return false;
    }
    let mut rest = value;
    while let Some(after) = rest.strip_prefix("\u{1b}[") {
        let numbers = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        if numbers.is_empty() {
            return true;
        }
        let Some(next) = numbers.strip_prefix('m') else {
            return false;
        };
        rest = next;
    }
    rest.is_empty()
}

/// True if the password of a URL, or a similarly escaped value, is an example. It has characters
/// nobody can type, has neither letters nor digits, or is a word for a password.
pub(crate) fn is_escaped_example(value: &str) -> bool {
    if !is_on("redact.escaped_example") {
        return false;
    }
    let plain = plain_of(value);
    plain.contains(char::is_control)
        || !plain.contains(char::is_alphanumeric)
        || (plain != value && is_example_password(&plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coloured_value_is_judged_without_its_colour() {
        for value in ["\u{1b}[0m", "\u{1b}[0m\u{1b}[38", "\u{1b}[38;2;0;1;2m"] {
            assert!(is_colour(value), "{value:?}");
        }
        for value in ["\u{1b}[0mhunter2", "hunter2\u{1b}[0m", "\u{1b}[0x", "[0m"] {
            assert!(!is_colour(value), "{value:?}");
        }
    }

    #[test]
    fn names_of_what_would_stand_there_are_known() {
        for value in [
            "test-m2m-secret",
            "m2m-access-token-12345",
            "dummy_api_key",
            "client-secret-123",
        ] {
            assert!(is_named_for_test(value), "{value}");
        }
        for value in [
            "prod_token_8842",
            "test_4eC39HqLyjWDarjtT1zdp7dc_key",
            "secret",
            "my-s3cr3t-1",
            "tickpass1234",
        ] {
            assert!(!is_named_for_test(value), "{value}");
        }
    }

    #[test]
    fn words_in_base64_are_known() {
        let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        for text in [
            "not my real password",
            "user:password",
            "login:pass",
            "me:1234",
            "a:user_pass",
        ] {
            assert!(is_encoded_words(&encode(text)), "{text}");
        }
        for text in ["user:Tr0ub4dor", "me:k9x8w7v6u5", "x9y8z7w6v5u4t3"] {
            assert!(!is_encoded_words(&encode(text)), "{text}");
        }
    }
}
