//! The words that are looked for, and where they stand.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, in_parallel};
use windlass_repo::Snapshot;
use windlass_search::{Bm25, Term, TermKind, WordCounts, each_term_but, is_grammar};

use super::aside::{Aside, aside};
use super::counter::Counter;
use super::links::{Named, gains, own_name};
use super::rank::{OF_PASSAGES, scores};
use super::{Read, Scored, text};

/// How much the score of a file counts for its passages.
const AROUND: f64 = 0.3;
/// What is left of the score of a passage that speaks of other things than it does itself.
const ASIDE: f64 = 0.75;
/// The same, of one out of a list of changes.
const CHANGES: f64 = 0.5;
/// What is left of the score of a passage that defines nothing.
const NO_SYMBOL: f64 = 0.85;
/// What one asks for with these is tests and the like themselves; as stems.
const ASIDE_WORDS: [&str; 5] = ["test", "benchmark", "changelog", "fixtur", "translat"];

/// Gives the words of `text` but those that only join a sentence; a version or a date counts as a whole, not by how it begins.
pub(super) fn each_word(text: &str, mut take: impl FnMut(Term<'_>)) {
    each_term_but(text, is_grammar, |term| {
        if term.kind != TermKind::Beginning {
            take(term);
        }
    });
}

/// The words that are looked for.
pub(super) struct Question {
    pub(super) words: BTreeMap<String, u32>,
    /// How they begin: words that begin otherwise need no stem to be told from them.
    pub(super) initials: BTreeSet<char>,
    /// Words of each sentence and line of a long question, without those that say too little by themselves.
    pub(super) parts: Vec<BTreeSet<u32>>,
}

impl Question {
    pub(super) fn of(text: &str) -> Self {
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

    /// Counts its words in texts.
    pub(super) fn counter(&self) -> Counter<'_> {
        Counter::of(self)
    }

    /// The passages of the best files that have a word of the question, each with its score by that of the `asked` which it answers
    /// best, and how much of that it has.
    pub(super) fn passages(
        &self,
        snapshot: &Snapshot,
        files: &[Read],
        best: &[(f64, usize)],
        asked: &[Asked],
        cancel: &Cancel,
    ) -> Vec<Scored> {
        let cut = in_parallel(best, snapshot.repo().threads(), 1, |piece| {
            let mut counter = self.counter();
            let cut = piece
                .iter()
                .map(|(_, file)| counter.cut(snapshot, &files[*file].path, cancel));
            cut.collect::<Vec<_>>()
        });
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        for ((score, file), passages) in best.iter().zip(cut.into_iter().flatten()) {
            for (passage, own) in passages {
                all.push(Scored {
                    file: *file,
                    aside: aside(files[*file].path.as_str()),
                    passage,
                    score: *score,
                    covered: 0.0,
                    asked: 0,
                    words: 0,
                });
                counts.push(own);
            }
        }
        let most = best.first().map_or(1.0, |(score, _)| *score);
        let wants_aside = ASIDE_WORDS
            .iter()
            .any(|word| self.words.contains_key(*word));
        let owns = best_scores(&counts, asked, OF_PASSAGES);
        for ((scored, counts), (own, at)) in all.iter_mut().zip(&counts).zip(owns) {
            scored.asked = at;
            if let Some(asked) = asked.get(at) {
                scored.covered = counts.coverage(&asked.telling);
                scored.words = asked.words_in(counts);
            }
            // What stands around a passage says what it is about, too.
            scored.score = own * (1.0 - AROUND + AROUND * scored.score / most);
            if wants_aside {
                scored.aside = None;
            }
            scored.score *= match scored.aside {
                None => 1.0,
                Some(Aside::Other) => ASIDE,
                Some(Aside::Changes) => CHANGES,
            };
            if scored.passage.symbol.is_none() {
                scored.score *= NO_SYMBOL;
            }
        }
        all.retain(|scored| scored.score > 0.0);
        follow(snapshot, files, &mut all);
        all
    }
}

/// A question as a whole, or one part of it.
pub(super) struct Asked {
    /// Weight of each word by the number of stretches that have it; zero outside of the part.
    pub(super) weights: Vec<f64>,
    /// The same, by how many files have it.
    pub(super) telling: Vec<f64>,
    /// Number of its words.
    pub(super) words: usize,
}

impl Asked {
    /// A `part` of a question whose words say so much.
    pub(super) fn of(part: &BTreeSet<u32>, weights: &[f64], telling: &[f64]) -> Self {
        let within = |all: &[f64]| -> Vec<f64> {
            let own = |(at, weight): (u32, &f64)| if part.contains(&at) { *weight } else { 0.0 };
            (0..).zip(all).map(own).collect()
        };
        Self {
            weights: within(weights),
            telling: within(telling),
            words: part.len(),
        }
    }

    /// Number of its words that a text has.
    fn words_in(&self, counts: &WordCounts) -> usize {
        let own = counts.of_words.keys();
        let is_asked = |at: &&u32| self.weights.get(**at as usize).is_some_and(|it| *it > 0.0);
        own.filter(is_asked).count()
    }
}

/// The best score of each text, and by which of the `asked`. Scores compare, since a part has the weights of the whole: what
/// answers a small part has a small score.
pub(super) fn best_scores(
    texts: &[WordCounts],
    asked: &[Asked],
    counting: Bm25,
) -> Vec<(f64, usize)> {
    let mut best = vec![(0.0, 0); texts.len()];
    for (at, asked) in asked.iter().enumerate() {
        let scores = scores(texts, &asked.weights, counting);
        for (best, score) in best.iter_mut().zip(scores) {
            if at == 0 || score > best.0 {
                *best = (score, at);
            }
        }
    }
    best
}

/// The words of each sentence and each line of `text`, where that is long: what answers one of them would be lost among
/// the words of the others. A short question is asked as a whole.
fn parts(text: &str, words: &BTreeMap<String, u32>) -> Vec<BTreeSet<u32>> {
    /// Fewest different words of a long question.
    const LONG: usize = 24;
    /// Fewest words of a part.
    const LEAST: usize = 3;
    if words.len() < LONG {
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

/// The sentences of a line.
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

/// Adds to the score of passages what they get from those they are linked with.
fn follow(snapshot: &Snapshot, files: &[Read], all: &mut [Scored]) {
    let named: Vec<Named> = all
        .iter()
        .map(|one| Named {
            whole: (one.file, one.passage.symbol.clone()),
            score: one.score,
            name: own_name(one.passage.symbol.as_deref()),
            is_aside: aside(files[one.file].path.as_str()).is_some(),
        })
        .collect();
    let text = |at: usize| {
        let text = text(snapshot, &files[all[at].file].path, all[at].passage.span);
        text.map_or_else(String::new, |text| text.as_str().to_owned())
    };
    for (at, gain) in gains(&named, text) {
        all[at].score += gain;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_question_is_taken_apart_into_sentences_and_lines() {
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
