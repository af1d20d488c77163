//! The words that are looked for, and where they stand.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, in_parallel};
use windlass_repo::Snapshot;
use windlass_words::{Term, TermKind, each_term_but, is_grammar};

use super::aside::{Aside, aside};
use super::counter::Counter;
use super::links::{Named, gains, own_name};
use super::rank::{OF_PASSAGES, covered, scores};
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
            words,
        }
    }

    /// Counts its words in texts.
    pub(super) fn counter(&self) -> Counter<'_> {
        Counter::of(self)
    }

    /// The passages of the best files that have a word of the question, with their scores by `weights`, and how much of the question
    /// they have by what its words are `telling`.
    pub(super) fn passages(
        &self,
        snapshot: &Snapshot,
        files: &[Read],
        best: &[(f64, usize)],
        (weights, telling): (&[f64], &[f64]),
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
                    covered: covered(&own, telling),
                    words: own.of_words.len(),
                });
                counts.push(own);
            }
        }
        let most = best.first().map_or(1.0, |(score, _)| *score);
        let wants_aside = ASIDE_WORDS
            .iter()
            .any(|word| self.words.contains_key(*word));
        for (scored, own) in all.iter_mut().zip(scores(&counts, weights, OF_PASSAGES)) {
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
