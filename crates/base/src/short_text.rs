//! Shortens texts: to one line, to a number of characters, or to a name. IDs are shortened to their
//! first digits.

/// Puts `text` on one line, with a single space between words.
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

/// Cuts `text` off after `max` characters and marks the cut by a `…`.
#[must_use]
pub fn cut_after(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Makes a name of up to `max` characters from `text`. It consists of ASCII letters in lower case,
/// digits, and hyphens between them.
#[must_use]
pub fn slug(text: &str, max: usize) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if slug.len() >= max {
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

/// Returns the first 12 digits of an ID or hash. Within a repository, these usually identify it.
#[must_use]
pub fn short_id(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened() {
        assert_eq!(one_line(" one\n  two\tthree "), "one two three");
        assert_eq!(cut_after("über", 4), "über");
        assert_eq!(cut_after("über", 3), "übe…");
        assert_eq!(short_id("0123456789abcdef"), "0123456789ab");
        assert_eq!(short_id("0123"), "0123");
    }

    #[test]
    fn slug_has_lower_case_and_hyphens() {
        assert_eq!(
            slug("  Retry (twice), then: stop!", 60),
            "retry-twice-then-stop"
        );
        assert_eq!(slug("one two three", 8), "one-two");
        assert_eq!(slug("--", 8), "");
    }
}
