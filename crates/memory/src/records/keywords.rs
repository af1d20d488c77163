//! Suggests keywords for impressions without any.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::texts::everyday::{is_everyday, is_filler};
use regex::Regex;
use windlass_redact::redact_text;
use windlass_search::{MAX_WORD, composed, is_common, is_stop_word, parts_of, stem, words_of};

/// Generic words, not specific to any one record.
pub(crate) const GENERIC: [&str; 18] = [
    "about", "agent", "change", "context", "data", "detail", "file", "general", "info", "memory",
    "note", "project", "record", "summary", "task", "thing", "update", "work",
];

/// Minimum number of keywords. The check warns about impressions with fewer.
pub(crate) const MIN_KEYWORDS: usize = 3;
/// Maximum number of keywords. The check warns about more, and we omit the rest when writing.
pub(crate) const MAX_KEYWORDS: usize = 12;
const SUGGESTED: usize = 8;
/// Weight of a word in the title, compared to one in the text.
const TITLE_WEIGHT: usize = 4;

static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[redacted:[^\]\n]*\]").ok());

/// Suggests the most frequent words, in order of importance. Leaves out generic words, secrets and
/// personal data.
#[must_use]
pub fn suggest_keywords(title: &str, text: &str) -> Vec<String> {
    let (title, text) = (shareable(title), shareable(text));
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut at = 0;
    for (words, weight) in [(&title, TITLE_WEIGHT), (&text, 1)] {
        // Longer words are data such as hashes. Nobody searches for them.
        for word in words_of(words).filter(|word| word.len() <= MAX_WORD) {
            let lower = word.to_lowercase();
            let parts = parts_of(word);
            let is_name = parts.len() > 1 && word.len() <= 40;
            // Don't split names like `gRPC`: `rpc` makes no sense as a keyword.
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
    // Words with the same weight stay in the order of the text, i.e. those of the title come first.
    found.sort_by(|(_, (a, first)), (_, (b, second))| b.cmp(a).then(first.cmp(second)));
    // Only fall back to everyday words to reach the minimum.
    let (everyday, mut found): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(word, _)| is_everyday(word) || is_filler(word));
    found.extend(
        everyday
            .into_iter()
            .take(MIN_KEYWORDS.saturating_sub(found.len())),
    );
    // `retry` and `retries` have the same stem, so suggest one of them.
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

/// True for generic words and their plurals. `word` must be in lower case.
fn is_generic(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    GENERIC.contains(&word) || GENERIC.contains(&one)
}

fn shareable(text: &str) -> String {
    let (shown, _) = redact_text(text);
    // The words of a placeholder such as `[redacted:token]` would become keywords.
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
