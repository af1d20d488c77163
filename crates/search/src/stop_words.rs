/// Stop words, which connect sentences but name no subject. Sorted.
const STOP_WORDS: [&str; 153] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "cannot", "could", "d", "did", "didn", "do", "does", "doesn", "doing",
    "don", "done", "down", "during", "each", "either", "else", "ever", "every", "few", "for",
    "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his",
    "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "ll", "m", "many",
    "may", "me", "might", "more", "most", "much", "must", "my", "myself", "neither", "no", "nor",
    "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "out", "over",
    "own", "re", "s", "same", "shall", "she", "should", "so", "some", "such", "t", "than", "that",
    "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "was", "wasn", "we", "were",
    "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "without", "won", "would", "yes", "you", "your", "yours",
];

/// Stop words that are pure grammar: articles, pronouns, question words and forms of `be`, `do` and
/// `have`. Words of order, time, number and negation (`before`, `once`, `each`, `no`) are not
/// included, because code names use them. Sorted.
const GRAMMAR: [&str; 91] = [
    "a", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could",
    "d", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "having", "he", "her",
    "hers", "him", "his", "how", "i", "if", "in", "is", "it", "its", "itself", "ll", "m", "may",
    "me", "might", "must", "my", "of", "on", "or", "our", "ours", "re", "s", "shall", "she",
    "should", "so", "t", "than", "that", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "to", "us", "ve", "was", "we", "were", "what", "when",
    "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "would",
    "you", "your", "yours",
];

/// Words that can occur in a question on any subject. Sorted.
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

/// Word lengths in a list, by first letter. Each number has one bit per length.
type Lengths = [u32; 26];

const LENGTHS_OF_STOP_WORDS: Lengths = lengths(&STOP_WORDS);
const LENGTHS_OF_GRAMMAR: Lengths = lengths(&GRAMMAR);

const fn lengths(list: &[&str]) -> Lengths {
    let (mut lengths, mut at) = ([0; 26], 0);
    while at < list.len() {
        let word = list[at].as_bytes();
        lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        at += 1;
    }
    lengths
}

/// Index of the first word with each letter in a sorted list, and finally the list's length.
type Starts = [u8; 27];

const STARTS_OF_STOP_WORDS: Starts = starts(&STOP_WORDS);
const STARTS_OF_GRAMMAR: Starts = starts(&GRAMMAR);

const fn starts(list: &[&str]) -> Starts {
    let (mut starts, mut letter, mut at) = ([0; 27], 0, 0);
    while letter < 27 {
        while at < list.len() && ((list[at].as_bytes()[0] - b'a') as usize) < letter {
            at += 1;
        }
        starts[letter] = at as u8;
        letter += 1;
    }
    starts
}

/// Returns true if `word` is in a sorted list. Every word of every searched text passes through
/// here, so this has to be fast. Most words can be rejected because no listed word has the same
/// first letter and length. We compare the rest with the words of the same first letter.
fn is_in(list: &[&str], lengths: &Lengths, starts: &Starts, word: &str) -> bool {
    let Some(first) = word.bytes().next().filter(u8::is_ascii_lowercase) else {
        return false;
    };
    let letter = usize::from(first - b'a');
    if word.len() >= 32 || lengths[letter] & (1 << word.len()) == 0 {
        return false;
    }
    let alike = usize::from(starts[letter])..usize::from(starts[letter + 1]);
    list.get(alike).is_some_and(|alike| alike.contains(&word))
}

/// Returns true if `word`, which must be in lower case, has no meaning by itself.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    is_in(
        &STOP_WORDS,
        &LENGTHS_OF_STOP_WORDS,
        &STARTS_OF_STOP_WORDS,
        word,
    )
}

/// Returns true if `word`, which must be in lower case, is a pure grammar word. The list is shorter
/// than that of [`is_stop_word`], for texts with names such as `retry_until` or `read_all`.
#[must_use]
pub fn is_grammar(word: &str) -> bool {
    is_in(&GRAMMAR, &LENGTHS_OF_GRAMMAR, &STARTS_OF_GRAMMAR, word)
}

/// Returns true if `word`, which must be in lower case, fits any subject. Inflected forms such as
/// `asked` and `problems` count as well. Those in `-ing` don't: `settings` and `building` may be
/// the subject of a question.
#[must_use]
pub fn is_common(word: &str) -> bool {
    let is_one = |word: &str| COMMON.binary_search(&word).is_ok();
    let endings = ["s", "es", "d", "ed"];
    let mut plain = endings.iter().filter_map(|end| word.strip_suffix(end));
    is_one(word) || plain.any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && COMMON.is_sorted() && GRAMMAR.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        assert!(
            GRAMMAR
                .iter()
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
