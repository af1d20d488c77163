//! Recognizes values made of words: placeholders, labels, sentences and names.

use crate::value::about::is_about_secrets;
use crate::value::letters::has_letter;
use crate::value::sequence::{counts_up, is_repeated};
use crate::words::words;
use windlass_base::is_on;

/// Returns true for a method such as `sha256`, `utf-8` or `AES-256-GCM`.
pub(crate) fn is_method(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| {
            let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
            words().methods.has_any_case(stem.as_bytes())
        })
}

/// Returns true for a placeholder, a kind of value, or a single character repeated over and over.
pub(crate) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut bytes = lower.bytes();
    let first = bytes.next();
    let without_number = lower
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim_end_matches(['_', '-']);
    lower.len() < 4
        || bytes.all(|b| Some(b) == first)
        || is_repeated(&lower)
        || counts_up(&lower)
        || words().kinds.has(&lower)
        || words().kinds.has(without_number)
        || words()
            .placeholders
            .iter()
            .any(|word| is_mostly(word, &lower) && lower.contains(word))
}

/// Returns true if a password is just an example, such as `pass`, `password1`, `a secret` or
/// `1234`.
pub(crate) fn is_example_password(password: &str) -> bool {
    let is_short = password.len() < 6;
    let is_word = password.bytes().all(|b| b.is_ascii_lowercase());
    (is_short && (is_word || password.bytes().all(|b| b.is_ascii_digit())))
        || is_stand_in(password)
        || is_about_secrets(password)
        || (password.contains(' ') && is_prose(password))
}

/// Returns true for a handful of small letters, such as `"asdf"`.
///
/// In code, they are typed without thinking. No login would accept a password this short.
pub(crate) fn is_short_word(value: &str) -> bool {
    let is_word = value.bytes().all(|b| b.is_ascii_lowercase());
    is_on("redact.short_word") && value.len() < 6 && is_word
}

/// Returns true if a placeholder word makes up a good part of the value. In a long random token, a
/// short word like `none` occurs by chance.
fn is_mostly(word: &str, value: &str) -> bool {
    word.len() >= 6 && value.len() < 40 || word.len() * 2 >= value.len()
}

/// Returns true for several meaningful words, as in a sentence, a label or a message.
pub(crate) fn is_prose(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = lower
        .split_whitespace()
        .map(|word| word.trim_matches([',', '.', '(', ')', ':', '"', '\'', '`', '?', '!']));
    // Words of a language don't mix letters and digits.
    let language = words
        .clone()
        .all(|word| !(has_letter(word) && word.bytes().any(|b| b.is_ascii_digit())));
    // Otherwise, a passphrase such as `my secret phrase` would count as a sentence about secrets.
    let small = words.clone().count() >= 3 && value.starts_with(|c: char| c.is_lowercase());
    let sentence = language
        && words.clone().any(|word| {
            self::words().prose.has(word)
                || (is_about_secrets(word) && !(small && word == "secret"))
        });
    // E.g. `Minimum eight characters`.
    let title = value.starts_with(|c: char| c.is_uppercase())
        && value
            .chars()
            .all(|c| c.is_alphabetic() || c.is_whitespace() || ",.:;!?()-'…".contains(c));
    let letters = words
        .clone()
        .all(|word| word.is_empty() || word.chars().all(char::is_alphabetic));
    sentence || title || (letters && words.count() < 3)
}

/// Returns true for a word used in documentation about kinds of passwords or their handling.
pub(crate) fn is_describing(word: &str) -> bool {
    let lists = words();
    lists.kinds.has(word)
        || lists.prose.has(word)
        || lists.descriptions.has(word)
        || is_about_secrets(word)
        || ["string", "bytes", "type"]
            .iter()
            .any(|part| word.contains(part))
        || lists.describing_ends.iter().any(|end| word.ends_with(end))
}

/// Returns true if the value contains a method with its number, as in `sha256sum` and `x509cert`.
pub(crate) fn holds_method(value: &str) -> bool {
    let lower = value.to_lowercase();
    // `x` and `p` only mean a method in front of a number, as in `x509` and `p256`, so the list of
    // methods doesn't contain them.
    let methods = words().methods.iter().map(String::as_str);
    let mut all = methods.chain(["x", "p", "secp"]);
    is_on("redact.holds_method")
        && all.any(|method| {
            lower
                .strip_prefix(method)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
}
