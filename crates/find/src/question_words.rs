//! Splits a question into words, and likewise the texts that are compared with it.

use std::collections::{BTreeMap, BTreeSet};

use windlass_search::{Term, TermKind, each_term_but, is_grammar};

/// Calls `take` for each word of `text`, except for grammar words. Since a version or a date is a
/// single word here, we skip beginnings such as the 3.2 in `3.2.1`.
pub(crate) fn each_word(text: &str, mut take: impl FnMut(Term<'_>)) {
    each_term_but(text, is_grammar, |term| {
        if term.kind != TermKind::Beginning {
            take(term);
        }
    });
}

pub(crate) struct Question {
    pub(crate) words: BTreeMap<String, u32>,
    /// First letters of the stems. Most words of a text start with another letter, so we don't have
    /// to stem them.
    pub(crate) initials: BTreeSet<char>,
    /// If the question is long, the words of each sentence or line, except for very short ones.
    pub(crate) parts: Vec<BTreeSet<u32>>,
}

impl Question {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = BTreeMap::new();
        each_word(text, |term| {
            let next = words.len() as u32;
            words.entry(term.stem().into_owned()).or_insert(next);
        });
        let initials = words.keys().filter_map(|word| word.chars().next());
        Self {
            initials: initials.collect(),
            parts: parts(text, &words),
            words,
        }
    }
}

/// Finds the words of each sentence and line of a long `text`. A short question has no parts.
///
/// A place that answers one of the sentences usually doesn't have the words of the others. Compared
/// with the question as a whole, it would get a low score.
fn parts(text: &str, words: &BTreeMap<String, u32>) -> Vec<BTreeSet<u32>> {
    /// Minimum number of different words in a question that we split.
    const LONG: usize = 24;
    /// Minimum number of words in a part. Shorter parts match too many places by chance.
    const LEAST: usize = 3;
    if words.len() < LONG || !windlass_base::is_on("find.parts") {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for sentence in text.lines().flat_map(sentences) {
        let mut part = BTreeSet::new();
        each_word(sentence, |term| part.extend(words.get(&*term.stem())));
        if part.len() >= LEAST && part.len() < words.len() && seen.insert(part.clone()) {
            parts.push(part);
        }
    }
    parts
}

/// Splits a line at punctuation that's followed by a blank.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.match_indices(['.', '?', '!', ';']);
        let mut ends = ends.map(|(at, sign)| at + sign.len());
        let end = ends.find(|end| rest[*end..].starts_with(char::is_whitespace));
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_question_is_split_into_parts() {
        let short = Question::of("why does it retry? the backoff is too long.\nsee the log");
        assert_eq!(short.parts, []);
        let log: String = (0..30)
            .map(|at| format!("alpha{at} beta{at} gamma\n"))
            .collect();
        let long = Question::of(&format!(
            "Backoff doubles seconds. It retries v1.2 twice now!\n{log}{log}"
        ));
        assert_eq!(long.parts.len(), 32);
        let words = |part: &BTreeSet<u32>| -> Vec<&str> {
            let own = long.words.iter().filter(|(_, at)| part.contains(at));
            own.map(|(word, _)| word.as_str()).collect()
        };
        assert_eq!(words(&long.parts[0]), ["backoff", "doubl", "second"]);
        assert!(long.parts[1].len() >= 3);
    }
}
