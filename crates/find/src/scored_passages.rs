//! The passages of the best files, with how well each answers.

use std::collections::BTreeSet;

use windlass_base::{Cancel, in_parallel};
use windlass_repo::{FileRole, Snapshot, role_of};
use windlass_search::{Bm25, WordCounts};

use crate::file_passages::Passage;
use crate::find_scores::{OF_PASSAGES, scores};
use crate::linked_places::{Named, gains, own_name};
use crate::question_words::Question;
use crate::read_files::Read;
use crate::shown_lines::text;
use crate::word_counter::Counter;

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

/// A passage with its place and score.
pub(crate) struct Scored {
    pub(crate) file: usize,
    pub(crate) passage: Passage,
    /// Whether it speaks of other things than it does itself, and nobody asked for such.
    pub(crate) aside: Option<FileRole>,
    pub(crate) score: f64,
    /// Which of what is asked it answers best: 0 for the question as a whole.
    pub(crate) asked: usize,
    /// The share of what that tells that it has, 0 to 1.
    pub(crate) covered: f64,
    /// Number of words of that which it has.
    pub(crate) words: usize,
}

/// The passages of the best files that have a word of the question, each with its score by that of the `asked` which it answers
/// best, and how much of that it has.
pub(crate) fn scored_passages(
    question: &Question,
    snapshot: &Snapshot,
    files: &[Read],
    best: &[(f64, usize)],
    asked: &[Asked],
    cancel: &Cancel,
) -> Vec<Scored> {
    let cut = in_parallel(best, snapshot.repo().threads(), 1, |piece| {
        let mut counter = Counter::of(question);
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
                aside: role_of(files[*file].path.as_str()),
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
        .any(|word| question.words.contains_key(*word));
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
            Some(FileRole::Beside) => ASIDE,
            Some(FileRole::Changes) => CHANGES,
        };
        if scored.passage.symbol.is_none() {
            scored.score *= NO_SYMBOL;
        }
    }
    all.retain(|scored| scored.score > 0.0);
    follow(snapshot, files, &mut all);
    all
}

/// A question as a whole, or one part of it.
pub(crate) struct Asked {
    /// Weight of each word by the number of stretches that have it; zero outside of the part.
    pub(crate) weights: Vec<f64>,
    /// The same, by how many files have it.
    pub(crate) telling: Vec<f64>,
    /// Number of its words.
    pub(crate) words: usize,
}

impl Asked {
    /// A `part` of a question whose words say so much.
    pub(crate) fn of(part: &BTreeSet<u32>, weights: &[f64], telling: &[f64]) -> Self {
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
pub(crate) fn best_scores(
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

/// Adds to the score of passages what they get from those they are linked with.
fn follow(snapshot: &Snapshot, files: &[Read], all: &mut [Scored]) {
    let named: Vec<Named> = all
        .iter()
        .map(|one| Named {
            whole: (one.file, one.passage.symbol.clone()),
            score: one.score,
            name: own_name(one.passage.symbol.as_deref()),
            is_aside: role_of(files[one.file].path.as_str()).is_some(),
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
