//! From a text to the words that are compared: names are taken apart, endings of English words left off.

/// Words that hold sentences together. Sorted.
const STOP_WORDS: [&str; 96] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "between", "both", "but", "by", "can", "do", "does", "doing", "done", "each", "else",
    "for", "from", "get", "gets", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "let", "me", "must", "my", "no", "not", "of", "off", "on", "once", "one", "only", "or",
    "other", "our", "out", "over", "own", "put", "self", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "until", "up", "use", "used", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "would", "you", "your",
];

/// Calls `take` with each word of `text`, in order. A name is given as a whole as well as in its parts.
pub(super) fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for run in text
        .split(|c: char| !is_part(c))
        .filter(|run| !run.is_empty())
    {
        let mut parts = 0;
        each_part(run, |part| {
            parts += 1;
            let part = part.to_lowercase();
            if part.len() > 1 && STOP_WORDS.binary_search(&part.as_str()).is_err() {
                take(stem(&part));
            }
        });
        if parts > 1 {
            take(&run.to_lowercase());
        }
    }
}

/// `fetchURLs_now` is fetch, URLs, now; digits stay with what is before them.
fn each_part(run: &str, mut take: impl FnMut(&str)) {
    for piece in run.split('_').filter(|piece| !piece.is_empty()) {
        let letters: Vec<(usize, char)> = piece.char_indices().collect();
        let mut start = 0;
        for at in 1..letters.len() {
            let (before, this) = (letters[at - 1].1, letters[at].1);
            let letter = |at: usize| letters.get(at).map(|(_, c)| *c);
            // `URLs` are several.
            let is_plural =
                letter(at + 1) == Some('s') && letter(at + 2).is_none_or(|c| !c.is_lowercase());
            let next_is_lower = letter(at + 1).is_some_and(char::is_lowercase) && !is_plural;
            let begins = this.is_uppercase() && (!before.is_uppercase() || next_is_lower);
            if begins {
                take(&piece[start..letters[at].0]);
                start = letters[at].0;
            }
        }
        take(&piece[start..]);
    }
}

/// `word` without the endings that English words have in common. What is left need not be a word: it is only compared.
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 18] = [
        "ations", "ation", "ating", "ators", "ated", "ates", "ator", "ate", "ings", "ions", "ing",
        "ion", "ies", "ers", "ed", "er", "es", "s",
    ];
    if !word.is_ascii() {
        return word;
    }
    for ending in ENDINGS {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| rest.len() >= 3) {
            if ending == "s" && rest.ends_with('s') {
                break;
            }
            return undoubled(rest.trim_end_matches(['e', 'y', 'i'])).unwrap_or(rest);
        }
    }
    let rest = word.trim_end_matches(['e', 'y', 'i']);
    if rest.len() >= 3 { rest } else { word }
}

/// `stopp` is `stop`.
fn undoubled(word: &str) -> Option<&str> {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && bytes.len() > 3 && !b"lsz".contains(b) => {
            word.get(..word.len() - 1)
        }
        _ if bytes.len() >= 3 => Some(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn names_are_taken_apart_and_kept() {
        assert_eq!(
            words("fetchURLs_now()"),
            ["fetch", "url", "now", "fetchurls_now"]
        );
        assert_eq!(
            words("HTTPServer2.run_all"),
            ["http", "server2", "httpserver2", "run", "run_all"]
        );
        assert_eq!(
            words("die Größe des Puffers"),
            ["die", "größe", "des", "puf"]
        );
        assert_eq!(words("the  a  x -- !"), [""; 0]);
    }

    #[test]
    fn words_of_one_origin_are_one() {
        for alike in [
            "retry retries retried retrying",
            "stop stopped stopping stops",
            "expire expired expires expiring",
            "migrate migration migrations",
        ] {
            let words = words(alike);
            assert!(words.iter().all(|word| *word == words[0]), "{words:?}");
        }
        assert_ne!(words("class")[0], words("clap")[0]);
    }

    #[test]
    fn the_words_left_out_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
