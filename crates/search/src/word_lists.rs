//! Lists of words that tell little of what a text is about. Each is sorted, a word on a line.

use crate::english_words::has_line;
use crate::stop_words::is_common;

/// Words that lead to everything: of records, projects and work.
const GENERIC: &str = include_str!("word_lists/generic.txt");
/// Words of which texts are made, whatever they are about.
const EVERYDAY: &str = include_str!("word_lists/everyday.txt");
/// Words that fill a sentence.
const FILLERS: &str = include_str!("word_lists/fillers.txt");

/// True if `word`, in small letters, leads to everything: one of the list, or its plural.
#[must_use]
pub fn is_generic(word: &str) -> bool {
    has_line(GENERIC, word) || has_line(GENERIC, word.strip_suffix('s').unwrap_or(word))
}

/// True if `word`, in small letters, is an everyday word in any form.
#[must_use]
pub fn is_everyday(word: &str) -> bool {
    let endings = ["", "s", "es", "d", "ed", "ing"];
    let mut plain = endings.iter().filter_map(|end| word.strip_suffix(end));
    plain.any(|word| has_line(EVERYDAY, word))
}

/// True if `word`, in small letters, fills a sentence.
#[must_use]
pub fn is_filler(word: &str) -> bool {
    has_line(FILLERS, word)
}

/// True if `word`, in small letters, may be said of anything, so that nothing is known by it.
pub(crate) fn is_vague(word: &str) -> bool {
    is_common(word) || has_line(GENERIC, word) || is_filler(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_are_sorted_and_apart() {
        for list in [GENERIC, EVERYDAY, FILLERS] {
            assert!(list.lines().is_sorted());
        }
        for word in FILLERS.lines() {
            assert!(!crate::is_stop_word(word) && !is_everyday(word), "{word}");
        }
        assert!(is_filler("still") && is_everyday("replaced") && is_generic("tasks"));
        for telling in ["index", "except", "page", "zero", ""] {
            assert!(!is_vague(telling) && !is_everyday(telling), "{telling}");
        }
    }
}
