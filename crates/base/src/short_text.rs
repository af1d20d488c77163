//! Texts made short: on one line, cut, as a name, or the first digits of an id.

/// `text` on one line, with one space between its words.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The first `most` characters of `text`, and `…` behind them where there are more.
#[must_use]
pub fn cut_after(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// `text` as a name of at most `most` letters: small ones of ASCII, digits, and hyphens between them.
#[must_use]
pub fn slug(text: &str, most: usize) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if slug.len() >= most {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// As many digits of an id or a hash as name it among those of a repository.
#[must_use]
pub fn short_id(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_made_short() {
        assert_eq!(one_line(" one\n  two\tthree "), "one two three");
        assert_eq!(cut_after("über", 4), "über");
        assert_eq!(cut_after("über", 3), "übe…");
        assert_eq!(short_id("0123456789abcdef"), "0123456789ab");
        assert_eq!(short_id("0123"), "0123");
    }

    #[test]
    fn names_are_of_small_letters_and_hyphens() {
        assert_eq!(
            slug("  Retry (twice), then: stop!", 60),
            "retry-twice-then-stop"
        );
        assert_eq!(slug("one two three", 8), "one-two");
        assert_eq!(slug("--", 8), "");
    }
}
