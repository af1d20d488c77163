use windlass_search::WordList;

/// Words that are ordinary in texts about any subject. We don't suggest them as keywords.
static EVERYDAY: WordList = WordList::new(include_str!("word_lists/everyday.txt"));

/// Words for an aspect of a thing, such as its tests, or how to stop it. A question with such a
/// word may not be about the thing itself.
static ASPECTS: WordList = WordList::new(include_str!("word_lists/aspects.txt"));

/// Adverbs, prepositions, indefinite pronouns, and the forms of "seem" and "go". These are the
/// words of the English list in `stopwords-iso` that name neither a thing nor an action.
static FILLERS: WordList = WordList::new(include_str!("word_lists/fillers.txt"));

/// True for an everyday word, including plurals and verb forms. `word` must be in lower case.
pub(crate) fn is_everyday(word: &str) -> bool {
    EVERYDAY.has_form(word, &["s", "es", "d", "ed", "ing"])
}

/// True for a word that asks for an aspect, like "tests" in "cookie tests". `word` must be in lower
/// case.
pub(crate) fn is_aspect(word: &str) -> bool {
    ASPECTS.has_form(word, &["s"])
}

/// True for a filler, which can't identify a record. `word` must be in lower case.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.has(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_disjoint() {
        for list in [&EVERYDAY, &ASPECTS, &FILLERS] {
            assert!(list.words().is_sorted());
        }
        assert!(is_aspect("tests") && is_aspect("code") && !is_aspect("s"));
        assert!(ASPECTS.words().all(windlass_search::is_common));
        for word in FILLERS.words() {
            assert!(
                !windlass_search::is_stop_word(word) && !is_everyday(word),
                "{word}"
            );
        }
        assert!(is_filler("still") && is_filler("sometimes") && is_everyday("replaced"));
        for distinctive in [
            "index", "except", "near", "past", "section", "page", "zero", "",
        ] {
            assert!(
                !is_filler(distinctive) && !is_everyday(distinctive),
                "{distinctive}"
            );
        }
    }
}
