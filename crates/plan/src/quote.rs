//! Words of a document inside messages.

use windlass_base::{did_you_mean, is_harmful};

/// A text, fit for one line of a message: short, and without characters that steer a terminal.
#[must_use]
pub fn cut(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        None => harmless(text),
        Some(_) => harmless(&text.chars().take(MAX - 1).collect::<String>()) + "…",
    }
}

/// A text without characters that steer a terminal. It is not cut: half a secret is not known for one.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.replace(|c| c == '\t' || is_harmful(c), "\u{fffd}")
}

/// The name that was probably meant. Long names are not compared: that takes quadratic time.
#[must_use]
pub fn near<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const MAX: usize = 128;
    if given.len() > MAX {
        return None;
    }
    did_you_mean(given, names.into_iter().filter(|name| name.len() <= MAX))
}

/// The truth value that a word was probably meant as: YAML 1.1 read `yes` and `off` as such, 1.2 does not.
pub(crate) fn near_boolean(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" | "true" => Some(true),
        "no" | "n" | "off" | "false" => Some(false),
        _ => None,
    }
}

/// How many names a list in a message has.
const LISTED: usize = 12;

/// Names for a message: `a`, `b`, …
#[must_use]
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let mut list: Vec<_> = names
        .by_ref()
        .take(LISTED)
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
    fn words_are_short_and_harmless() {
        assert_eq!(cut("a\u{1b}[31m\nb"), "a\u{fffd}[31m\u{fffd}b");
        assert_eq!(cut(&"ü".repeat(60)), "ü".repeat(60));
        assert_eq!(cut(&"ü".repeat(61)), "ü".repeat(59) + "…");
        let names: Vec<_> = (0..14).map(|at| at.to_string()).collect();
        assert!(listed(names.iter().map(String::as_str)).ends_with("`11`, and 2 more"));
    }
}
