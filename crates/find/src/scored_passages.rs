//! Scores the passages of the best files. Their own words matter most, but the score of the file
//! counts as well. Passages from tests and changelogs, and passages without a symbol, score lower.

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

/// The part of a passage's score that depends on the score of the file.
const AROUND: f64 = 0.3;
/// Factor for a passage from a test, a fixture or a similar file ([`FileRole::Beside`]).
const ASIDE: f64 = 0.75;
/// Factor for a passage from a changelog ([`FileRole::Changes`]).
const CHANGES: f64 = 0.5;
/// Factor for a passage without a symbol.
const NO_SYMBOL: f64 = 0.85;
/// Stems of words that ask for tests or similar files. If the question has one of these, such files
/// score like any others.
const ASIDE_WORDS: [&str; 5] = ["test", "benchmark", "changelog", "fixtur", "translat"];

pub(crate) struct Scored {
    pub(crate) file: usize,
    pub(crate) passage: Passage,
    pub(crate) score: f64,
    /// Index of the part of the question that matches best, where 0 stands for the whole question.
    pub(crate) asked: usize,
    /// The share of that part's word weight that the passage covers, from 0 to 1.
    pub(crate) covered: f64,
    /// Number of words of that part in the passage.
    pub(crate) words: usize,
}

/// Splits the `best` files into passages, and scores those that have a word of the question. We
/// score a passage against everything in `asked`, and take the highest score.
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
        // The subject may only be mentioned elsewhere in the file.
        scored.score = match windlass_base::is_on("find.around") {
            true => own * (1.0 - AROUND + AROUND * scored.score / most),
            false => own,
        };
        let is_any_role = wants_aside && windlass_base::is_on("find.asked_role");
        let role = role_of(files[scored.file].path.as_str());
        scored.score *= match role.filter(|_| !is_any_role && windlass_base::is_on("find.role")) {
            None => 1.0,
            Some(FileRole::Beside) => ASIDE,
            Some(FileRole::Changes) => CHANGES,
        };
        if scored.passage.symbol.is_none() && windlass_base::is_on("find.symbol") {
            scored.score *= NO_SYMBOL;
        }
    }
    all.retain(|scored| scored.score > 0.0);
    if windlass_base::is_on("find.links") {
        follow(snapshot, files, &mut all);
    }
    all
}

/// A question or a part of it, as weights of the words.
pub(crate) struct Asked {
    /// Weights by the number of stretches with each word, for scores. 0 for words that aren't in
    /// this part.
    pub(crate) weights: Vec<f64>,
    /// Weights by the number of files with each word, for coverage. 0 for words that aren't in this
    /// part.
    pub(crate) telling: Vec<f64>,
    pub(crate) words: usize,
}

impl Asked {
    /// Creates a part, for which the weights of all words that aren't in `part` are set to 0.
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

    /// Counts how many words of this part are in a text.
    fn words_in(&self, counts: &WordCounts) -> usize {
        let own = counts.of_words.keys();
        let is_asked = |at: &&u32| self.weights.get(**at as usize).is_some_and(|it| *it > 0.0);
        own.filter(is_asked).count()
    }
}

/// Finds the best score of each text, and the index of the part that it's for.
///
/// All parts use the weights of the whole question, so their scores can be compared, and a text
/// that only answers a small part of the question gets a low score.
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

/// Raises the scores of passages that are linked with one of the best. See [`gains`].
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
