//! Which words are English: who writes one means it, however near it is to another.

use std::cmp::Ordering;

use crate::stem::stem;

/// The stems of English words and names of at least four letters, sorted, each on a line: those of SCOWL up to size 60, whose terms are in
/// `english_words/COPYRIGHT`, and those of `english_words/code.txt`, which people who write code have besides. `examples/english.rs` makes them.
const STEMS: &str = include_str!("english_words/stems.txt");

/// Whether `word`, in small letters, is an English word or name, or a form of one. Of a word of less than four letters nobody says so.
#[must_use]
pub fn is_english(word: &str) -> bool {
    has_line(STEMS, &stem(word))
}

/// Whether a text of sorted lines has that one.
pub(crate) fn has_line(text: &str, line: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // Where the line begins that has the middle in it, and where it ends.
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
