//! Values that name a secret instead of being one, such as `password-field`, `apiKey` and
//! `invalid_token`. They are labels, keys or names of messages.
//!
//! We split a value into words at signs, digits and humps. A word for a secret counts alone or
//! within another one (`passwordfield`, `accesstoken`). Ordinary words with a secret's word inside
//! (`keyboard`, `compass`) do not count, because people choose them for passwords.

use crate::words::{Words, words};
use windlass_base::is_on;

/// Returns true if the value consists of letters and separators and contains a word such as
/// `password`, like a label, a key or the name of a message.
pub(crate) fn is_about_secrets(value: &str) -> bool {
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    // Labels are numbered 1, 2 and so on. Three digits or more (`tickpass1234`) aren't a label.
    if value.len() - stem.len() >= 3
        && stem.bytes().all(|b| b.is_ascii_alphabetic())
        && !words().kinds.has(&stem.to_ascii_lowercase())
    {
        return false;
    }
    let in_label =
        |c: char| c.is_alphabetic() || matches!(c, '_' | '-' | '.' | ':' | '/' | '?' | '!');
    is_on("redact.about") && stem.chars().all(in_label) && has_word(stem)
}

/// Returns true if a word of `value`, split at all signs, is about secrets.
pub(crate) fn has_word(value: &str) -> bool {
    // Most values contain none of these words. Checking that first saves us from splitting them.
    let lower = value.to_lowercase();
    let mut all = words().about.iter().chain(words().about_short.iter());
    if !all.any(|word| lower.contains(word)) {
        return false;
    }
    let rest = without_ordinary(value);
    rest.split(|c: char| !c.is_alphabetic())
        .flat_map(humps)
        .any(|word| is_word(&word.to_lowercase()))
}

fn is_word(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    // A short word occurs inside of many others by chance, so it only counts at their ends.
    let begins_or_ends =
        |short: &String| word.starts_with(short) || word.ends_with(short) || one.ends_with(short);
    let Words {
        about, about_short, ..
    } = words();
    about.iter().any(|known| word.contains(known)) || about_short.iter().any(begins_or_ends)
}

/// Blanks out ordinary words, such as `keyboard`, in any case.
fn without_ordinary(value: &str) -> String {
    let mut rest = value.to_owned();
    for word in words().ordinary.iter() {
        while let Some(at) = rest.to_ascii_lowercase().find(word) {
            rest.replace_range(at..at + word.len(), " ");
        }
    }
    rest
}

/// Splits a word before a capital behind a small letter: `userToken` into `user` and `Token`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut before = None;
        let border = rest.char_indices().find(|(_, c)| {
            let small = before.replace(*c).is_some_and(char::is_lowercase);
            small && c.is_uppercase()
        });
        let (hump, more) = rest.split_at(border.map_or(rest.len(), |(at, _)| at));
        rest = more;
        (!hump.is_empty()).then_some(hump)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_ordinary_words_are_told_apart() {
        for label in [
            "password",
            "Password:",
            "passwordfield",
            "apikey",
            "APIKey",
            "accesstoken",
            "api_keys",
            "user.pass",
            "bypass",
            "keyName2",
            "id-it-revPassphrase",
            "passport",
            "plaintext",
            "monkeypass",
            "keyboard_key",
            "InvalidLogin",
            "Passwörter!",
            "contraseña",
            "密码",
        ] {
            assert!(is_about_secrets(label), "{label}");
        }
        for password in [
            "keyboard12",
            "KeyBoard12",
            "compass77",
            "donkeykong7",
            "monkey.",
            "hawkeye",
            "buckeyes",
            "Mickey_Mouse",
            "garfield-",
            "terror",
            "turkeys",
            "whiskey.passion",
            "tickpass1234",
            "bypass 7",
            "sommer",
            "pass word7x",
        ] {
            assert!(!is_about_secrets(password), "{password}");
        }
    }

    #[test]
    fn in_names_with_numbers_words_count_as_well() {
        for name in [
            "args.password_2",
            "ed25519.Ed25519PrivateKey",
            "key1",
            "db2token",
        ] {
            assert!(has_word(name), "{name}");
        }
        for name in ["monkey.446", "x9.mickey2", "k3y", ""] {
            assert!(!has_word(name), "{name}");
        }
    }
}
