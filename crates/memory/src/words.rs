//! From texts to words, and from words to what is compared: prose and code alike.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that hold sentences together and say nothing of what they are about. Sorted.
const STOP_WORDS: [&str; 151] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "cannot", "could", "d", "did", "didn", "do", "does", "doesn", "doing",
    "don", "done", "down", "during", "each", "either", "else", "ever", "every", "few", "for",
    "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his",
    "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "ll", "m", "may",
    "me", "might", "more", "most", "must", "my", "myself", "neither", "no", "nor", "not", "now",
    "of", "off", "on", "once", "only", "or", "other", "our", "ours", "out", "over", "own", "re",
    "s", "same", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "until", "up", "upon", "us", "ve", "very", "was", "wasn", "we", "were", "what",
    "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "without", "won", "would", "yes", "you", "your", "yours",
];

/// What people say when they ask for something, whatever it is about. Sorted.
const COMMON: [&str; 58] = [
    "add",
    "ask",
    "begin",
    "bring",
    "bug",
    "build",
    "check",
    "code",
    "come",
    "continue",
    "create",
    "explain",
    "find",
    "finish",
    "fix",
    "get",
    "give",
    "go",
    "help",
    "implement",
    "issue",
    "keep",
    "know",
    "let",
    "like",
    "look",
    "make",
    "need",
    "new",
    "next",
    "old",
    "please",
    "prepare",
    "problem",
    "put",
    "question",
    "remember",
    "remind",
    "resume",
    "see",
    "set",
    "show",
    "start",
    "step",
    "stop",
    "take",
    "talk",
    "tell",
    "test",
    "think",
    "time",
    "today",
    "try",
    "use",
    "want",
    "way",
    "write",
    "wrong",
];

/// Whether `word`, in small letters, says nothing by itself.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Whether `word`, in small letters, is one that anybody may say of anything.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// The words of `text`, as they are written: letters, digits and underscores.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map(|word| word.trim_matches('_'))
        .filter(|word| !word.is_empty())
}

/// The parts of a word: those between underscores, and those that begin with a capital (`parseHTTPRequest`).
pub(crate) fn parts_of(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split('_').filter(|piece| !piece.is_empty()) {
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        let mut start = 0;
        for at in 1..chars.len() {
            let (before, here) = (chars[at - 1].1, chars[at].1);
            let after = chars.get(at + 1).map(|(_, c)| *c);
            let begins = here.is_uppercase()
                && (before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(char::is_lowercase)));
            if begins {
                parts.push(&piece[start..chars[at].0]);
                start = chars[at].0;
            }
        }
        parts.push(&piece[start..]);
    }
    parts
}

/// The stem of an English word in small letters; other words are left as they are.
pub(crate) fn stem(word: &str) -> String {
    let is_english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_english {
        true => Stemmer::create(Algorithm::English).stem(word).into_owned(),
        false => word.to_owned(),
    }
}

/// A word as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// What is compared.
    pub(crate) stem: String,
    /// As it was written.
    pub(crate) word: Cow<'a, str>,
    /// Whether anybody may say it of anything.
    pub(crate) is_common: bool,
    /// Whether it stands for several others together: a name of code beside its parts.
    pub(crate) is_whole: bool,
}

/// How long a word may be that is compared, in bytes: longer ones are data.
const MAX_WORD: usize = 64;

/// The terms of `text`, in its order. Stop words are left out; a name of several parts is there as a whole, too.
pub(crate) fn terms_of(text: &str) -> Vec<Term<'_>> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms = Vec::new();
    for word in words_of(text) {
        if word.len() > MAX_WORD {
            continue;
        }
        if word.chars().any(is_wordless) {
            pairs_of(word, &mut terms);
            continue;
        }
        let parts = parts_of(word);
        if parts.len() > 1 {
            let joined: String = parts.concat().to_lowercase();
            terms.push(Term {
                stem: joined,
                word: Cow::Borrowed(word),
                is_common: false,
                is_whole: true,
            });
        }
        for part in parts {
            let lower = part.to_lowercase();
            let is_letter = lower.chars().count() == 1 && !lower.chars().all(char::is_numeric);
            if is_letter || is_stop_word(&lower) {
                continue;
            }
            let is_english = lower.len() > 2 && lower.bytes().all(|byte| byte.is_ascii_lowercase());
            let stem = match is_english {
                true => stemmer.stem(&lower).into_owned(),
                false => lower.clone(),
            };
            terms.push(Term {
                stem,
                word: Cow::Borrowed(part),
                is_common: is_common(&lower) || crate::keywords::GENERIC.contains(&&*lower),
                is_whole: false,
            });
        }
    }
    terms
}

/// Whether `c` belongs to a script that puts no blanks between words.
fn is_wordless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0eff}' | '\u{20000}'..='\u{2ffff}')
}

/// Each two letters that stand together; one that stands alone.
fn pairs_of<'a>(word: &'a str, terms: &mut Vec<Term<'a>>) {
    let starts: Vec<usize> = word
        .char_indices()
        .map(|(at, _)| at)
        .chain([word.len()])
        .collect();
    let width = 2.min(starts.len() - 1);
    for window in starts.windows(width + 1) {
        let pair = &word[window[0]..window[width]];
        terms.push(Term {
            stem: pair.to_lowercase(),
            word: Cow::Borrowed(pair),
            is_common: false,
            is_whole: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        terms_of(text).into_iter().map(|term| term.stem).collect()
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && COMMON.is_sorted());
    }

    #[test]
    fn code_and_prose_give_the_same_terms() {
        let parse = ["parsehttprequest", "pars", "http", "request"];
        assert_eq!(stems("parseHTTPRequest"), parse);
        assert_eq!(stems("parse_http_request"), parse);
        assert_eq!(
            stems("`src/net/http_client.rs`"),
            ["src", "net", "httpclient", "http", "client", "rs"]
        );
        assert_eq!(
            stems("Parsing of the HTTP requests!"),
            ["pars", "http", "request"]
        );
        assert_eq!(stems("don't do it"), Vec::<String>::new());
        assert_eq!(stems("syncing, synced, sync"), ["sync", "sync", "sync"]);
        assert_eq!(stems("SHA256 v2 utf8"), ["sha256", "v2", "utf8"]);
        assert_eq!(stems("設定同期 é"), ["設定", "定同", "同期"]);
        assert_eq!(stems(&"x".repeat(65)), Vec::<String>::new());
    }

    #[test]
    fn what_anybody_may_say_is_told_apart() {
        let common: Vec<bool> = terms_of("Please continue the settings refactor")
            .iter()
            .map(|term| term.is_common)
            .collect();
        assert_eq!(common, [true, true, false, false]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_terms_that_are_parts_of_it(text in "\\PC{0,60}") {
            for term in terms_of(&text) {
                proptest::prop_assert!(!term.stem.is_empty() && text.contains(&*term.word));
            }
        }
    }
}
