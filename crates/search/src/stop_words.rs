use crate::word_list::WordList;

/// Words that connect sentences but don't name a subject.
static STOP_WORDS: WordList = WordList::new(include_str!("word_lists/stop_words.txt"));

/// Stop words that are nothing but grammar: articles, pronouns, question words, and the forms of
/// "be", "do" and "have". Words of order, time, number and negation (such as `before`, `once`,
/// `each` and `no`) are missing on purpose, because names in code use them.
static GRAMMAR: WordList = WordList::new(include_str!("word_lists/grammar.txt"));

/// Words that occur in questions about any subject.
static COMMON: WordList = WordList::new(include_str!("word_lists/common.txt"));

/// True if `word`, which must be in lower case, means nothing by itself.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.has(word)
}

/// True if `word`, which must be in lower case, is nothing but grammar. This is stricter than
/// [`is_stop_word`], and meant for texts with names such as `retry_until` or `read_all`.
#[must_use]
pub fn is_grammar(word: &str) -> bool {
    GRAMMAR.has(word)
}

/// True if `word`, which must be in lower case, occurs in questions about any subject.
///
/// Forms such as `asked` and `problems` count as well, but those in `-ing` don't: `settings` and
/// `building` may well be the subject of a question.
#[must_use]
pub fn is_common(word: &str) -> bool {
    COMMON.has_form(word, &["s", "es", "d", "ed"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_their_words() {
        for list in [&STOP_WORDS, &GRAMMAR, &COMMON] {
            assert!(list.words().is_sorted() && list.words().all(|word| list.has(word)));
        }
        assert!(
            GRAMMAR
                .words()
                .all(|word| is_stop_word(word) && is_grammar(word))
        );
        for other in ["", "é", "wherever", "ourz", "A", "1", &"a".repeat(40)] {
            assert!(!is_stop_word(other) && !is_grammar(other), "{other}");
        }
        assert!(!is_grammar("until") && is_stop_word("until"));
        assert!(is_common("asked") && is_common("created") && is_common("problems"));
        assert!(!is_common("task") && !is_common("settings") && !is_common(""));
    }
}
