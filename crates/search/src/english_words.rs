//! A list of English words. We never treat a listed word as a misspelling of another word.

use std::cmp::Ordering;

use crate::stem::stem;

/// Sorted stems of English words and names with at least four letters, one per line. They come from
/// SCOWL up to size 60 (license in `english_words/COPYRIGHT`) and from the programming terms in
/// `english_words/code.txt`. `examples/english.rs` generates the list.
const STEMS: &str = include_str!("english_words/stems.txt");

/// Returns true if `word`, which must be in lower case, is a form of a listed word. No listed word
/// has fewer than four letters.
#[must_use]
pub fn is_english(word: &str) -> bool {
    has_line(STEMS, &stem(word))
}

/// Returns true if `text`, whose lines are sorted, contains `line`.
fn has_line(text: &str, line: &str) -> bool {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // The middle may be inside a line, so find that line's start and end.
        let bytes = text.as_bytes();
        let start = bytes[low..middle].iter().rposition(|byte| *byte == b'\n');
        let start = start.map_or(low, |at| low + at + 1);
        let end = bytes[middle..high].iter().position(|byte| *byte == b'\n');
        let end = end.map_or(high, |at| middle + at);
        match text[start..end].cmp(line) {
            Ordering::Equal => return true,
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_all_their_forms() {
        for word in [
            "table",
            "tables",
            "form",
            "latter",
            "contracts",
            "rotation",
            "zoom",
            "sweden",
        ] {
            assert!(is_english(word), "{word}");
        }
        for other in ["", "postgress", "limmit", "authentification", "teh", "zzzz"] {
            assert!(!is_english(other), "{other}");
        }
    }

    #[test]
    fn each_line_is_found() {
        let code = include_str!("english_words/code.txt");
        assert!(code.lines().all(is_english));
        let lines: Vec<&str> = STEMS.lines().collect();
        assert!(lines.is_sorted() && lines.len() > 10_000);
        assert!(lines.iter().all(|line| has_line(STEMS, line)));
        let text = "ab\nabc\nb\n";
        for other in ["", "a", "abcd", "bb", "c"] {
            assert!(!has_line(text, other), "{other}");
        }
    }
}
