//! Scores passages from the best files.

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

/// Weight of a file's score in the scores of its passages.
const AROUND: f64 = 0.3;
/// Score factor for a passage from a test, fixture or similar file ([`FileRole::Beside`]).
const ASIDE: f64 = 0.75;
/// Score factor for a passage from a changelog ([`FileRole::Changes`]).
const CHANGES: f64 = 0.5;
/// Score factor for a passage that defines no symbol.
const NO_SYMBOL: f64 = 0.85;
/// Word stems that ask for tests or similar files. If the question has one, such files keep their
/// full score.
const ASIDE_WORDS: [&str; 5] = ["test", "benchmark", "changelog", "fixtur", "translat"];

/// A passage with its file and score.
pub(crate) struct Scored {
    pub(crate) file: usize,
    pub(crate) passage: Passage,
    /// The file's role if it describes other code, as tests do. `None` for other files, and if the
    /// question asks for such files.
    pub(crate) aside: Option<FileRole>,
    pub(crate) score: f64,
    /// Index of the question part best matched by the passage. Index 0 is the whole question.
    pub(crate) asked: usize,
    /// Share of that part's word weight covered by the passage, from 0 to 1.
    pub(crate) covered: f64,
    /// Number of that part's words in the passage.
    pub(crate) words: usize,
}

/// Returns the passages from the `best` files with a word of the question. Each gets the score for
/// the part in `asked` it matches best.
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
        // The rest of the file also tells us what a passage is about.
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

/// A whole question or one part of it.
pub(crate) struct Asked {
    /// Each word's weight by the number of stretches that contain it. Words outside of the part
    /// weigh 0.
    pub(crate) weights: Vec<f64>,
    /// Each word's weight by the number of files that contain it. Words outside of the part weigh
    /// 0.
    pub(crate) telling: Vec<f64>,
    /// The number of words in the part.
    pub(crate) words: usize,
}

impl Asked {
    /// Restricts the weights to the words of `part`.
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

    /// Returns the number of this part's words in a text.
    fn words_in(&self, counts: &WordCounts) -> usize {
        let own = counts.of_words.keys();
        let is_asked = |at: &&u32| self.weights.get(**at as usize).is_some_and(|it| *it > 0.0);
        own.filter(is_asked).count()
    }
}

/// Returns each text's best score, with the index of the part that gives it. All parts use the
/// weights of the whole question, so we can compare their scores: a text that answers only a small
/// part scores low.
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

/// Adds the score gained by each passage from linked ones.
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
