//! Classes of values by their words: a placeholder, a label, a sentence, a name.

use crate::value::about::is_about_secrets;
use crate::value::letters::{has_letter, is_scrambled};
use crate::value::published::is_published;
use crate::value::sequence::{counts_up, is_repeated};
use crate::words::words;
use windlass_base::is_on;

/// `sha256`, `utf-8`, `AES-256-GCM`
pub(crate) fn is_method(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| {
            let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
            words().methods.has_any_case(stem.as_bytes())
        })
}

/// `argon2id`, `bcrypt12`: a method with its number and no more than letters that say which of them. What a year
/// ends is none.
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

/// A placeholder, a kind of value, or the same character over and over.
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

/// Several kinds of values, one behind the other: `pass pass`, `user#password`.
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

/// A handful of small letters: code has a word there that is quickly typed, `"asdf"`, and what takes passwords takes none so
/// short.
pub(crate) fn is_short_word(value: &str) -> bool {
    if !is_on("redact.short_word") {
        return false;
    }
    value.len() < 6 && value.bytes().all(|b| b.is_ascii_lowercase())
}

/// Short placeholder words count only where they are a good part of the value: `none` in a random token
/// is chance.
fn is_mostly(word: &str, value: &str) -> bool {
    word.len() >= 6 && value.len() < 40 || word.len() * 2 >= value.len()
}

/// Several words that say something: a sentence, a label, a message.
pub(crate) fn is_prose(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = lower
        .split_whitespace()
        .map(|word| word.trim_matches([',', '.', '(', ')', ':', '"', '\'', '`', '?', '!']));
    // Letters and digits in one word are no language.
    let language = words
        .clone()
        .all(|word| !(has_letter(word) && word.bytes().any(|b| b.is_ascii_digit())));
    // The subject of the words does not distinguish `my secret phrase` from a sentence.
    let small = words.clone().count() >= 3 && value.starts_with(|c: char| c.is_lowercase());
    let sentence = language
        && words.clone().any(|word| {
            self::words().prose.has(word)
                || (is_about_secrets(word) && !(small && word == "secret"))
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

/// True for a message about a secret, such as an error, its location or its requirements: several words, one of which
/// describes a topic. The message may contain numbers, but no invented word.
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

/// Words as dice choose them, of which none is needed to describe something.
pub(crate) fn is_dice_phrase(value: &str) -> bool {
    if !is_on("redact.dice") {
        return false;
    }
    let mut words = value.split_whitespace();
    let small = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    words.clone().count() >= 4 && words.all(|word| small(word) && !is_describing(word))
}

/// True if a word describes a kind of password or its handling, as documentation does.
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

/// True if the value contains a method with its number: `sha256sum`, `x509cert`.
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

/// Longer than a word of the language, and no name of several.
pub(crate) fn is_long_word(value: &str) -> bool {
    if !is_on("redact.long_word") {
        return false;
    }
    value.len() >= 12 && value.bytes().all(|b| b.is_ascii_lowercase()) && !is_describing(value)
}
