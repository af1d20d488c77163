//! Quotes text from documents in messages. Such text may be very long, or contain control
//! characters that a terminal would obey.

use windlass_base::{did_you_mean, is_harmful};

/// Makes a text safe to print, and shortens it to 60 characters so that the message fits on a line.
#[must_use]
pub fn cut(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        None => harmless(text),
        Some(_) => harmless(&text.chars().take(MAX - 1).collect::<String>()) + "…",
    }
}

/// Makes a text safe to print, but does not shorten it as [`cut`] does.
///
/// If a text is searched for secrets later, it has to be complete: half a secret may not be
/// recognized.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.replace(|c| c == '\t' || is_harmful(c), "\u{fffd}")
}

/// Finds the most similar name to suggest.
///
/// We skip long names, because a comparison takes quadratic time.
#[must_use]
pub fn near<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const MAX: usize = 128;
    if given.len() > MAX {
        return None;
    }
    did_you_mean(given, names.into_iter().filter(|name| name.len() <= MAX))
}

/// Returns the help "did you mean `NAME`?" for a name that is [`near`] to `given`.
pub fn near_hint<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    near(given, names).map(|near| format!("did you mean `{near}`?"))
}

/// Guesses the boolean that is meant by a word such as `yes` or `off`.
///
/// Authors know these from YAML 1.1, but they are strings in YAML 1.2.
pub(crate) fn near_boolean(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" | "true" => Some(true),
        "no" | "n" | "off" | "false" => Some(false),
        _ => None,
    }
}

/// Maximum number of names in a list. We count the others.
const MAX_LISTED: usize = 12;

/// Lists names for a message, e.g. `` `a`, `b`, and 3 more ``.
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
