//! A list of English words. When we correct the spelling of a question, a word on this list is
//! taken to be right.

use std::cmp::Ordering;

use crate::stem::stem;

/// Stems of English words and names with at least four letters, one per line and sorted.
///
/// They come from SCOWL up to size 60 (license in `english_words/COPYRIGHT`), and from the
/// programming terms in `english_words/code.txt`. To change the list, edit the latter and run
/// `examples/english.rs`.
const STEMS: &str = include_str!("english_words/stems.txt");

/// True if `word`, which must be in lower case, is a form of a word on the list. There are no words
/// of less than four letters on it.
#[must_use]
pub fn is_english(word: &str) -> bool {
    has_line(STEMS, &stem(word))
}

/// Finds `line` by a binary search in `text`, whose lines must be sorted.
pub(crate) fn has_line(text: &str, line: &str) -> bool {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // The middle is usually inside of a line, so find out where that line starts and ends.
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
