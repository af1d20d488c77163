//! Classifies values by their words, as a placeholder, a label, a sentence or a name.

use crate::value::about::is_about_secrets;
use crate::value::letters::{has_letter, is_scrambled};
use crate::value::published::is_published;
use crate::value::sequence::{counts_up, is_repeated};
use crate::words::words;
use windlass_base::is_on;

/// True for a method such as `sha256`, `utf-8` or `AES-256-GCM`.
pub(crate) fn is_method(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| {
            let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
            words().methods.has_any_case(stem.as_bytes())
        })
}

/// True for a method with its number and at most a few letters to tell variants apart, such as
/// `argon2id` or `bcrypt12`. A value that ends with a year isn't one.
pub(crate) fn is_method_name(value: &str) -> bool {
    if !is_on("redact.method_name") {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    words().methods.iter().any(|method| {
        lower.strip_prefix(method.as_str()).is_some_and(|rest| {
            let which = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = rest.len() - which.len();
            (1..=3).contains(&digits)
                && which.len() <= 2
                && which.bytes().all(|b| b.is_ascii_lowercase())
        })
    })
}

/// True for a placeholder, a kind of value, or a single character repeated over and over.
pub(crate) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut bytes = lower.bytes();
    let first = bytes.next();
    lower.len() < 4
        || bytes.all(|b| Some(b) == first)
        || is_repeated(&lower)
        || counts_up(&lower)
        || is_published(value)
        || words().kinds.has(&lower)
        || words()
            .placeholders
            .iter()
            .any(|word| is_mostly(word, &lower) && lower.contains(word))
}

/// True for several kinds of values in a row, such as `pass pass` or `user#password`.
pub(crate) fn is_kinds(value: &str) -> bool {
    if !is_on("redact.kinds") {
        return false;
    }
    let words = value.split(|c: char| !c.is_alphanumeric());
    let mut words = words
        .map(|word| {
            word.trim_end_matches(|c: char| c.is_ascii_digit())
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(|word| self::words().kinds.has(&word))
}

/// True for a handful of small letters. In code, that's a word typed quickly, such as `"asdf"`, and
/// no login would accept a password this short.
pub(crate) fn is_short_word(value: &str) -> bool {
    if !is_on("redact.short_word") {
        return false;
    }
    value.len() < 6 && value.bytes().all(|b| b.is_ascii_lowercase())
}

/// True if a short placeholder word makes up a good part of the value. In a random token, `none` is
/// there by chance.
fn is_mostly(word: &str, value: &str) -> bool {
    word.len() >= 6 && value.len() < 40 || word.len() * 2 >= value.len()
}

/// True for several words that say something, as in a sentence, a label or a message.
pub(crate) fn is_prose(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = lower
        .split_whitespace()
        .map(|word| word.trim_matches([',', '.', '(', ')', ':', '"', '\'', '`', '?', '!']));
    // If there are letters and digits in one word, it isn't language.
    let language = words
        .clone()
        .all(|word| !(has_letter(word) && word.bytes().any(|b| b.is_ascii_digit())));
    // We can't tell `my secret phrase` from a sentence by the subject of its words.
    let small = words.clone().count() >= 3 && value.starts_with(|c: char| c.is_lowercase());
    let sentence = language
        && words.clone().any(|word| {
            self::words().prose.has(word)
                || (is_about_secrets(word) && !(small && word == "secret"))
        });
    // As in `Minimum eight characters`.
    let title = value.starts_with(|c: char| c.is_uppercase())
        && value
            .chars()
            .all(|c| c.is_alphabetic() || c.is_whitespace() || ",.:;!?()-'…".contains(c));
    let letters = words
        .clone()
        .all(|word| word.is_empty() || word.chars().all(char::is_alphabetic));
    sentence || title || (letters && words.count() < 3)
}

/// True for a message about a secret, such as an error, its location or its requirements. It has
/// several words, and one of them describes a topic. There may be numbers, but no invented words.
pub(crate) fn is_message(value: &str) -> bool {
    if !is_on("redact.message") {
        return false;
    }
    let mut words = value.split_whitespace();
    let describes = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        is_describing(&word.to_lowercase())
    };
    words.clone().count() > 1 && !words.clone().any(is_scrambled) && words.any(describes)
}

/// True for words as chosen by dice, none of which is needed to describe something.
pub(crate) fn is_dice_phrase(value: &str) -> bool {
    if !is_on("redact.dice") {
        return false;
    }
    let mut words = value.split_whitespace();
    let small = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    words.clone().count() >= 4 && words.all(|word| small(word) && !is_describing(word))
}

/// True if a word describes a kind of password or how it's handled, like in documentation.
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

/// True if the value contains a method with its number, as in `sha256sum` and `x509cert`.
pub(crate) fn holds_method(value: &str) -> bool {
    if !is_on("redact.holds_method") {
        return false;
    }
    let lower = value.to_lowercase();
    let methods = words().methods.iter().map(String::as_str);
    methods.chain(["x", "p", "secp"]).any(|method| {
        lower
            .strip_prefix(method)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// True if it's longer than words of the language, and not a name made of several.
pub(crate) fn is_long_word(value: &str) -> bool {
    if !is_on("redact.long_word") {
        return false;
    }
    value.len() >= 12 && value.bytes().all(|b| b.is_ascii_lowercase()) && !is_describing(value)
}
