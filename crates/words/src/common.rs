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
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Whether `word`, in small letters, is one that anybody may say of anything.
#[must_use]
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && COMMON.is_sorted());
    }
}
