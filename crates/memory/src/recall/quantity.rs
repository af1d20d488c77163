//! Questions that ask how many there are of something. Every record that speaks of it has its words; only one that says a number
//! beside it answers.

use windlass_search::{Term, TermKind, each_term};

/// How many words lie between a number and what it counts, at most.
const NEAR: usize = 3;
/// Numbers in words. Sorted.
const NUMBERS: [&str; 24] = [
    "dozen", "eight", "eighty", "eleven", "fifty", "five", "forty", "four", "half", "hundred",
    "million", "nine", "ninety", "seven", "seventy", "six", "sixty", "ten", "thirty", "thousand",
    "three", "twelve", "twenty", "two",
];
/// What asks for a number.
const ASKING: [&str; 2] = ["how many", "how much"];

/// A term that says that a number stands near `stem`.
pub(super) fn near_number(stem: &str) -> String {
    format!("#{stem}")
}

/// What `text` asks the number of: the first word behind `how many`.
pub(super) fn quantity(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let ends = ASKING.iter().filter_map(|words| {
        let at = lower.find(words)?;
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

/// The words that stand near a number in a sentence of `text`, as terms; those that stand near several as often.
pub(super) fn each_near_number(text: &str, mut take: impl FnMut(String)) {
    let parts = text.split("\n\n").flat_map(|part| part.split(". "));
    for sentence in parts.flat_map(|part| part.split([';', '!', '?'])) {
        each_in_sentence(sentence, &mut take);
    }
}

fn each_in_sentence(text: &str, take: &mut impl FnMut(String)) {
    // What came before, the last one first, and how far behind a number this is.
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
        if since <= NEAR {
            take(near_number(&stem));
        }
        since = since.saturating_add(1);
        before.push(stem);
        if before.len() > NEAR + 1 {
            before.remove(0);
        }
    });
}

/// Whether it says how many: a date or a version does not.
fn is_number(term: &Term<'_>) -> bool {
    let is_digits = term.lower.bytes().all(|byte| byte.is_ascii_digit());
    is_digits || NUMBERS.binary_search(&term.lower).is_ok()
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
    fn a_number_stands_near_what_it_counts() {
        assert!(NUMBERS.is_sorted());
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
