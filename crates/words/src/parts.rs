/// The words of `text`, as they are written: letters, digits and underscores.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map(|word| word.trim_matches('_'))
        .filter(|word| !word.is_empty())
}

/// Gives the parts of a word, in its order: those between underscores, and those that begin with a capital. `fetchURLs_now`
/// is fetch, URLs, now; digits stay with what is before them.
pub fn each_part<'a>(word: &'a str, mut take: impl FnMut(&'a str)) {
    for piece in word.split('_').filter(|piece| !piece.is_empty()) {
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

/// Whether what comes after a capital makes it the first letter of a word: small letters, and not the `s` of several `URLs`.
fn begins_a_word(after: &str) -> bool {
    let mut after = after.chars();
    let first = after.next();
    let is_plural = first == Some('s') && after.next().is_none_or(|next| !next.is_lowercase());
    first.is_some_and(char::is_lowercase) && !is_plural
}

/// The parts of a word, as [`each_part`] gives them.
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

    proptest::proptest! {
        #[test]
        fn parts_are_all_there_is_but_underscores(word in "[a-zA-ZÄé0-9_]{0,24}") {
            proptest::prop_assert_eq!(parts_of(&word).concat(), word.replace('_', ""));
        }
    }
}
