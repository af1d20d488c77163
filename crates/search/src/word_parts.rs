use std::ops::Range;

use crate::unicode_forms::is_mark;

/// Iterates over the words of `text`, which consist of letters, digits and underscores.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let found = first_word(rest)?;
        let word = &rest[found.clone()];
        rest = &rest[found.end..];
        Some(word)
    })
}

/// Finds the first word in `text`. Since all text that we search passes through here, and nearly
/// all of it is ASCII, we go byte by byte.
pub(crate) fn first_word(text: &str) -> Option<Range<usize>> {
    let letter_at = |at: usize| text[at..].chars().next().filter(|c| c.is_alphanumeric());
    let bytes = text.as_bytes();
    let mut start = 0;
    loop {
        match bytes.get(start)? {
            byte if byte.is_ascii_alphanumeric() => break,
            byte if byte.is_ascii() || letter_at(start).is_none() => start += 1,
            _ => break,
        }
        // Skip the rest of a multi-byte character.
        while !text.is_char_boundary(start) {
            start += 1;
        }
    }
    let (mut at, mut end) = (start, start);
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            // Underscores at the end aren't part of the word, so don't move `end` yet.
            b'_' => {
                at += 1;
                continue;
            }
            byte if byte.is_ascii_alphanumeric() => 1,
            byte if byte.is_ascii() => break,
            _ => match text[at..].chars().next() {
                Some(c) if c.is_alphanumeric() || is_mark(c) => c.len_utf8(),
                _ => break,
            },
        };
        end = at;
    }
    Some(start..end)
}

/// True if `word` only has lowercase ASCII letters and digits, in which case there is nothing to
/// split or convert.
pub(crate) fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Calls `take` with the parts of a word, in order. A new part starts after an underscore and at a
/// capital letter, so `fetchURLs_now` consists of "fetch", "URLs" and "now". Digits belong to the
/// part before them.
pub(crate) fn each_part<'a>(word: &'a str, mut take: impl FnMut(&'a str)) {
    for piece in word.split('_').filter(|piece| !piece.is_empty()) {
        if is_plain(piece) {
            take(piece);
            continue;
        }
        let mut start = 0;
        let mut before: Option<char> = None;
        for (at, here) in piece.char_indices() {
            let joins = |before: char| {
                before.is_uppercase() && !begins_a_word(&piece[at + here.len_utf8()..])
            };
            if here.is_uppercase() && before.is_some_and(|before| !joins(before)) {
                take(&piece[start..at]);
                start = at;
            }
            before = Some(here);
        }
        take(&piece[start..]);
    }
}

/// True if a capital letter followed by `after` starts a new part: usually if the next letter is a
/// lowercase one, except for the plural `s` in `URLs`.
fn begins_a_word(after: &str) -> bool {
    let mut after = after.chars();
    let first = after.next();
    let is_plural = first == Some('s') && after.next().is_none_or(|next| !next.is_lowercase());
    first.is_some_and(char::is_lowercase) && !is_plural
}

/// Splits a word into its parts, e.g. `fetchURLs_now` into "fetch", "URLs" and "now".
#[must_use]
pub fn parts_of(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    each_part(word, |part| parts.push(part));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (word, parts) in [
            ("fetchURLs_now", &["fetch", "URLs", "now"][..]),
            ("parseHTTPRequest", &["parse", "HTTP", "Request"]),
            ("HTTPServer2", &["HTTP", "Server2"]),
            ("utf8Decode", &["utf8", "Decode"]),
            ("__init__", &["init"]),
            ("IDs", &["IDs"]),
            ("URLsafe", &["UR", "Lsafe"]),
            ("GrößeÄndern", &["Größe", "Ändern"]),
            ("A", &["A"]),
            ("", &[]),
        ] {
            assert_eq!(parts_of(word), parts, "{word}");
        }
    }

    #[test]
    fn letter_with_a_mark_is_one_letter() {
        assert_eq!(words_of("x\u{302}y x\u{302}").count(), 2);
        assert_eq!(words_of("हिन्दी").count(), 1);
        assert_eq!(words_of("\u{308} a").count(), 1);
    }

    proptest::proptest! {
        #[test]
        fn words_are_what_stands_between_all_else(text in "[a-zÄé0-9_ .\u{2014}\u{e000}設]{0,24}") {
            let plainly = text
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map(|word| word.trim_matches('_'))
                .filter(|word| !word.is_empty());
            proptest::prop_assert_eq!(words_of(&text).collect::<Vec<_>>(), plainly.collect::<Vec<_>>());
        }

        #[test]
        fn parts_are_all_there_is_but_underscores(word in "[a-zA-ZÄé0-9_]{0,24}") {
            proptest::prop_assert_eq!(parts_of(&word).concat(), word.replace('_', ""));
        }
    }
}
