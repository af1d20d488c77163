//! Words of a goal, and how well a text speaks of them.

use std::collections::BTreeSet;

/// Words that say nothing about what is meant.
const STOP: [&str; 70] = [
    "the",
    "and",
    "for",
    "with",
    "that",
    "this",
    "from",
    "into",
    "are",
    "was",
    "were",
    "will",
    "not",
    "but",
    "all",
    "any",
    "can",
    "has",
    "have",
    "had",
    "its",
    "our",
    "out",
    "use",
    "using",
    "used",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "how",
    "what",
    "then",
    "than",
    "there",
    "their",
    "they",
    "should",
    "would",
    "could",
    "must",
    "may",
    "each",
    "every",
    "some",
    "such",
    "only",
    "also",
    "more",
    "most",
    "make",
    "made",
    "makes",
    "add",
    "adds",
    "new",
    "fix",
    "get",
    "set",
    "let",
    "does",
    "done",
    "pass",
    "passes",
    "implement",
    "support",
    "after",
    "before",
];

/// The most words that are looked for.
const MOST: usize = 40;

/// The words of `text` that tell what it is about, in their base form: parts of names by themselves (`camelCase`, `snake_case`).
#[must_use]
pub fn words_of(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for name in text.split(|c: char| !c.is_alphanumeric()) {
        for part in parts_of_name(name) {
            let word = base_form(&part.to_lowercase());
            if word.chars().count() > 2 && !STOP.contains(&word.as_str()) && words.len() < MOST {
                words.insert(word);
            }
        }
    }
    words
}

/// The parts of a name in camel case; all of it, too, where there are several.
fn parts_of_name(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    for pair in letters.windows(2) {
        let ((_, before), (at, here)) = (pair[0], pair[1]);
        if before.is_lowercase() && here.is_uppercase() {
            parts.push(&name[start..at]);
            start = at;
        }
    }
    if start > 0 {
        parts.push(name);
    }
    parts.push(&name[start..]);
    parts
}

/// A word without the endings of plurals and of verbs.
fn base_form(word: &str) -> String {
    let cut =
        |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| stem.len() >= least);
    let stem = cut("ies", 3)
        .map(|stem| format!("{stem}y"))
        .or_else(|| cut("ing", 4).map(str::to_owned))
        .or_else(|| cut("ed", 4).map(str::to_owned))
        .or_else(|| {
            cut("s", 3)
                .filter(|stem| !stem.ends_with(['s', 'u', 'i']))
                .map(str::to_owned)
        });
    stem.unwrap_or_else(|| word.to_owned())
}

/// Names of code that stand in `text`: with an underscore, `::`, a dot or a capital letter inside, or between backticks.
#[must_use]
pub fn names_in(text: &str) -> BTreeSet<String> {
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

/// `parser.rs`, and not `e.g`.
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
    fn words_are_told_apart_and_brought_to_their_base() {
        let words = words_of("Make the RetryPolicy honoured by parse_retries in all queries");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(
            words,
            ["honour", "parse", "policy", "query", "retry", "retrypolicy"]
        );
        assert!(words_of("the and 12 a ö").is_empty());
    }

    #[test]
    fn names_of_code_are_found_in_prose() {
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
