//! Recognizes questions for a number, such as "how many workers".
//!
//! An answer to such a question has a number near the word "workers". When indexing, we add an
//! artificial term for each word near a number, which the question can then look up.

use windlass_search::{Term, TermKind, each_term};

/// Maximum number of words between the number and the counted word.
const MAX_DISTANCE: usize = 3;
/// Number words, sorted for a binary search. Note that "one" is not among them.
const NUMBER_WORDS: [&str; 24] = [
    "dozen", "eight", "eighty", "eleven", "fifty", "five", "forty", "four", "half", "hundred",
    "million", "nine", "ninety", "seven", "seventy", "six", "sixty", "ten", "thirty", "thousand",
    "three", "twelve", "twenty", "two",
];
const PHRASES: [&str; 2] = ["how many", "how much"];

/// Formats the term for `stem` near a number. The `#` sets it apart from all terms of real words.
pub(super) fn near_number(stem: &str) -> String {
    format!("#{stem}")
}

/// Returns the term to look up if `text` asks for a number. We take the first word after "how many"
/// for the counted thing.
pub(super) fn quantity(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let ends = PHRASES.iter().filter_map(|words| {
        let mut found = lower.match_indices(words);
        let (at, _) = found.find(|(at, _)| !lower[..*at].ends_with(char::is_alphanumeric))?;
        Some(at + words.len())
    });
    let behind = &lower[ends.min()?..];
    let mut first = None;
    each_term(behind, |term| {
        if first.is_none() && term.kind == TermKind::Word {
            first = Some(near_number(&term.stem()));
        }
    });
    first
}

/// Calls `take` with the term for each word that is near a number in the same sentence. A word
/// between two numbers counts twice.
pub(crate) fn each_near_number(text: &str, mut take: impl FnMut(String)) {
    let parts = text.split("\n\n").flat_map(|part| part.split(". "));
    for sentence in parts.flat_map(|part| part.split([';', '!', '?'])) {
        each_in_sentence(sentence, &mut take);
    }
}

fn each_in_sentence(text: &str, take: &mut impl FnMut(String)) {
    // The latest words that aren't numbers, for a number that may follow, and the distance from the
    // last number.
    let mut before: Vec<String> = Vec::new();
    let mut since = usize::MAX;
    each_term(text, |term| {
        if term.kind != TermKind::Word {
            return;
        }
        let stem = term.stem().into_owned();
        if is_number(&term) {
            before.drain(..).for_each(|stem| take(near_number(&stem)));
            since = 0;
            return;
        }
        if since <= MAX_DISTANCE {
            take(near_number(&stem));
        }
        since = since.saturating_add(1);
        before.push(stem);
        if before.len() > MAX_DISTANCE + 1 {
            before.remove(0);
        }
    });
}

/// True for counts. A date or a version is not a number here.
fn is_number(term: &Term<'_>) -> bool {
    let is_digits = term.lower.bytes().all(|byte| byte.is_ascii_digit());
    is_digits || NUMBER_WORDS.binary_search(&term.lower).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each_near_number(text, |term| all.push(term));
        all
    }

    #[test]
    fn number_is_near_counted_word() {
        assert!(NUMBER_WORDS.is_sorted());
        let workers = near("At most 40 workers talk to the scheduler");
        assert_eq!(workers, ["#worker", "#talk", "#schedul"]);
        assert_eq!(
            near("hours of rest, ten in a day"),
            ["#hour", "#rest", "#day"]
        );
        assert_eq!(near("Polygons were lost. At most 40 are open"), ["#open"]);
        assert!(near("Version 3.2.1 of 2025-03-12").is_empty());
        assert_eq!(
            quantity("so how many workers are there?").as_deref(),
            Some("#worker")
        );
        assert_eq!(
            quantity("How much disk space do charts need").as_deref(),
            Some("#disk")
        );
        assert_eq!(quantity("how long may a test take"), None);
        assert_eq!(quantity("how many?"), None);
    }
}
