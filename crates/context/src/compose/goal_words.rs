//! Finds the words and the code names in a goal.

use std::collections::{BTreeMap, BTreeSet};

use windlass_search::{each_term, is_common};

/// Maximum number of words or names that we take from a text.
const MOST: usize = 40;

/// Returns the stems of the words that are worth searching for, which have at least three
/// characters and aren't common like "created".
#[must_use]
pub(crate) fn words_of(text: &str) -> BTreeSet<String> {
    written_words_of(text).into_keys().collect()
}

/// Like [`words_of`], but returns each stem along with a word that has this stem, in lower case.
/// That's for messages.
#[must_use]
pub(crate) fn written_words_of(text: &str) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    each_term(text, |term| {
        if words.len() < MOST && term.lower.chars().count() > 2 && !is_common(term.lower) {
            let written = words.entry(term.stem().into_owned());
            written.or_insert_with(|| term.lower.to_owned());
        }
    });
    words
}

/// Returns the code names: words with `_`, `/`, `::` or a capital letter inside, names of files,
/// and whatever is in backticks.
#[must_use]
pub(crate) fn names_in(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':');
    let bare = text
        .split(|c: char| !is_sign(c))
        .map(|word| word.trim_matches(['.', ':', '-', '/']));
    let is_name = |word: &&str| {
        let inner_capital = word
            .chars()
            .zip(word.chars().skip(1))
            .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        let has_sign = word.contains(['_', '/']) || word.contains("::") || is_file_name(word);
        word.len() > 2 && (has_sign || inner_capital)
    };
    let all = quoted
        .map(str::trim)
        .filter(|word| !word.is_empty() && word.len() <= 120 && !word.contains('\n'));
    all.chain(bare.filter(is_name))
        .map(str::to_owned)
        .take(MOST)
        .collect()
}

/// True for `parser.rs`, but not for "e.g".
fn is_file_name(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() > 1
            && (1..=5).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_words_are_split_and_stemmed() {
        let words = words_of("Make the RetryPolicy honoured by parse_retries in all queries");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(
            words,
            [
                "honour",
                "pars",
                "parseretries",
                "polici",
                "queri",
                "retri",
                "retrypolicy"
            ]
        );
        assert!(words_of("the and 12 a ö").is_empty());
    }

    #[test]
    fn code_names_found_in_prose() {
        let names = names_in(
            "Let `Schedule::apply` in crates/plan honour max_attempts, e.g. via retryPolicy (see parser.rs).",
        );
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "Schedule::apply",
                "crates/plan",
                "max_attempts",
                "parser.rs",
                "retryPolicy"
            ]
        );
    }
}
