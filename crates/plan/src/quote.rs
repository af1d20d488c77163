//! Quotes text from documents in messages.

use windlass_base::{did_you_mean, is_harmful};

/// Shortens a text to fit on one line of a message, and replaces terminal control characters.
#[must_use]
pub fn cut(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        None => harmless(text),
        Some(_) => harmless(&text.chars().take(MAX - 1).collect::<String>()) + "…",
    }
}

/// Replaces terminal control characters, but doesn't shorten the text, because we couldn't
/// recognise a shortened secret.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.replace(|c| c == '\t' || is_harmful(c), "\u{fffd}")
}

/// Returns the most similar name. Skips long names, because the comparison takes quadratic time.
#[must_use]
pub fn near<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const MAX: usize = 128;
    if given.len() > MAX {
        return None;
    }
    did_you_mean(given, names.into_iter().filter(|name| name.len() <= MAX))
}

/// Returns the boolean probably meant by a word. YAML 1.1 accepts words such as `yes` and `off`,
/// but YAML 1.2 doesn't.
pub(crate) fn near_boolean(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" | "true" => Some(true),
        "no" | "n" | "off" | "false" => Some(false),
        _ => None,
    }
}

/// Maximum number of names in a list, to keep messages short.
const MAX_LISTED: usize = 12;

/// Lists names for a message, as in `a`, `b`, …
#[must_use]
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let mut list: Vec<_> = names
        .by_ref()
        .take(MAX_LISTED)
        .map(|name| format!("`{}`", cut(name)))
        .collect();
    let more = names.count();
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_short_and_harmless() {
        assert_eq!(cut("a\u{1b}[31m\nb"), "a\u{fffd}[31m\u{fffd}b");
        assert_eq!(cut(&"ü".repeat(60)), "ü".repeat(60));
        assert_eq!(cut(&"ü".repeat(61)), "ü".repeat(59) + "…");
        let names: Vec<_> = (0..14).map(|at| at.to_string()).collect();
        assert!(listed(names.iter().map(String::as_str)).ends_with("`11`, and 2 more"));
    }
}
