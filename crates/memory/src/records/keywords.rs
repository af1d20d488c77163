//! Suggests keywords for new impressions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::texts::everyday::{is_everyday, is_filler};
use regex::Regex;
use windlass_redact::redact_text;
use windlass_search::{MAX_WORD, composed, is_common, is_stop_word, parts_of, stem, words_of};

/// Words too generic to serve as keywords.
pub(crate) const GENERIC: [&str; 18] = [
    "about", "agent", "change", "context", "data", "detail", "file", "general", "info", "memory",
    "note", "project", "record", "summary", "task", "thing", "update", "work",
];

/// Recommended minimum number of keywords for an impression.
pub(crate) const MIN_KEYWORDS: usize = 3;
/// Maximum number of keywords for an impression. The check warns about more, and writers omit the
/// rest.
pub(crate) const MAX_KEYWORDS: usize = 12;
/// Maximum number of suggested keywords.
const SUGGESTED: usize = 8;
/// Weight of a word in the title, relative to one in the text.
const TITLE_WEIGHT: usize = 4;

/// Matches the placeholder that redaction leaves for a secret.
static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[redacted:[^\]\n]*\]").ok());

/// Returns keywords for a record with this `title` and `text`, most important first. They're its
/// most frequent words, apart from generic words, secrets and personal data.
#[must_use]
pub fn suggest_keywords(title: &str, text: &str) -> Vec<String> {
    let (title, text) = (shareable(title), shareable(text));
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut at = 0;
    for (words, weight) in [(&title, TITLE_WEIGHT), (&text, 1)] {
        // Longer words are data such as hashes, which nobody searches for.
        for word in words_of(words).filter(|word| word.len() <= MAX_WORD) {
            let lower = word.to_lowercase();
            let parts = parts_of(word);
            let is_name = parts.len() > 1 && word.len() <= 40;
            // A name joined by capitals is a single word: we don't want `rpc` as a keyword for
            // `gRPC`.
            let is_joined = is_name && !word.contains('_');
            let parts = parts.into_iter().filter(|_| !is_joined);
            let names = is_name.then_some(lower.clone());
            for name in parts.map(str::to_lowercase).chain(names) {
                at += 1;
                let is_number = name.chars().all(|c| c.is_ascii_digit());
                if name.chars().count() < 3
                    || is_number
                    || is_stop_word(&name)
                    || is_common(&name)
                    || is_generic(&name)
                {
                    continue;
                }
                let entry = found.entry(name).or_insert((0, at));
                entry.0 += weight;
            }
        }
    }
    let mut found: Vec<(String, (usize, usize))> = found.into_iter().collect();
    found.sort_by(|(_, (a, first)), (_, (b, second))| b.cmp(a).then(first.cmp(second)));
    // Only fall back on everyday words to reach the minimum number of keywords.
    let (everyday, mut found): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(word, _)| is_everyday(word) || is_filler(word));
    found.extend(
        everyday
            .into_iter()
            .take(MIN_KEYWORDS.saturating_sub(found.len())),
    );
    // `retry` and `retries` have the same stem, so one of them is enough.
    let mut stems: Vec<String> = Vec::new();
    let mut chosen = Vec::new();
    for (word, _) in found {
        let stem = stem(&word).into_owned();
        if chosen.len() < SUGGESTED && !stems.contains(&stem) {
            stems.push(stem);
            chosen.push(word);
        }
    }
    chosen
}

/// Returns true for a generic word or its plural. `word` must be in lower case.
fn is_generic(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    GENERIC.contains(&word) || GENERIC.contains(&one)
}

/// Returns `text` in composed Unicode form, without secrets and personal data.
fn shareable(text: &str) -> String {
    let (shown, _) = redact_text(text);
    let shown = match PLACEHOLDER.as_ref() {
        Some(marks) => marks.replace_all(shown.as_str(), " "),
        None => shown.as_str().into(),
    };
    composed(&crate::unshared::without_personal(&shown)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_or_personal_data_is_no_keyword() {
        let value = "9f86d081884c7d659a2feaa0c55ad015";
        let token = ["gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"].concat();
        let text = format!("password = \"{value}\"\nThe login is {token}, ask bob.smith@gmail.com");
        let keywords = suggest_keywords("Login", &text).join(" ");
        assert!(
            keywords.contains("login") && keywords.contains("password"),
            "{keywords}"
        );
        for part in ["9f86", "ghp", "0a1b", "redacted", "token", "smith", "gmail"] {
            assert!(!keywords.contains(part), "{part}: {keywords}");
        }
    }

    #[test]
    fn common_words_are_suggested_last() {
        let keywords = suggest_keywords(
            "Images are resized with libvips",
            "ImageMagick used four times the memory on large uploads; gRPC users and request_id remain.",
        );
        for wanted in [
            "images",
            "libvips",
            "imagemagick",
            "grpc",
            "uploads",
            "request",
        ] {
            assert!(keywords.iter().any(|word| word == wanted), "{keywords:?}");
        }
        for unwanted in ["magick", "image", "rpc", "four", "large", "users", "remain"] {
            assert!(keywords.iter().all(|word| word != unwanted), "{keywords:?}");
        }
        assert_eq!(suggest_keywords("Two users", ""), ["two", "users"]);
        let keywords = suggest_keywords(
            "HTTP push is dead",
            "send_push_promise is still in Request, sometimes; none known, as well as given per form. It seems quite enough.",
        );
        for unwanted in [
            "still",
            "sometimes",
            "none",
            "known",
            "well",
            "given",
            "per",
            "seems",
            "quite",
            "enough",
        ] {
            assert!(keywords.iter().all(|word| word != unwanted), "{keywords:?}");
        }
    }

    #[test]
    fn frequent_words_are_suggested_and_generic_are_not() {
        let keywords = suggest_keywords(
            "Settings are synced by one writer",
            "We decided that SettingsStore owns the file. All updates go through the store, and retries retry there.",
        );
        assert_eq!(keywords[0], "settings");
        for wanted in ["synced", "writer", "settingsstore", "store"] {
            assert!(keywords.iter().any(|word| word == wanted), "{keywords:?}");
        }
        for unwanted in ["the", "file", "are", "updates", "retry"] {
            let twice = unwanted == "retry"
                && keywords.iter().filter(|w| w.starts_with("retr")).count() < 2;
            assert!(
                twice || !keywords.iter().any(|word| word == unwanted),
                "{keywords:?}"
            );
        }
        assert_eq!(suggest_keywords("", ""), Vec::<String>::new());
        assert_eq!(suggest_keywords("Winch", &"x".repeat(3_000)), ["winch"]);
    }
}
