//! The words that are looked for, and where they stand.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_repo::Snapshot;
use windlass_words::{Term, TermKind, each_term_but, is_grammar};

use super::aside::{Aside, aside};
use super::links::{Named, gains, own_name};
use super::passages::{Passage, passages};
use super::rank::{Counts, OF_PASSAGES, covered, scores};
use super::{MAX_BYTES, Read, Reading, Scored, shown};

/// How many lines belong together where nothing is known of a file yet.
const STRETCH: usize = 30;
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
fn each_word(text: &str, mut take: impl FnMut(Term<'_>)) {
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
    initials: BTreeSet<char>,
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

    /// Adds the words of `text`, each as `weight` of them.
    fn count(&self, text: &str, weight: f64, counts: &mut Counts) {
        each_word(text, |term| {
            counts.length += 1.0;
            let initial = term.lower.chars().next();
            if initial.is_some_and(|initial| self.initials.contains(&initial))
                && let Some(at) = self.words.get(&*term.stem())
            {
                *counts.of_words.entry(*at).or_default() += weight;
            }
        });
    }

    pub(super) fn read(&self, snapshot: &Snapshot, path: &RepoPath) -> Option<Reading> {
        let source = snapshot.read(path).ok()?;
        if source.why_no_text().is_some() {
            return None;
        }
        if source.bytes().len() > MAX_BYTES {
            return Some(Reading::TooLarge);
        }
        let bytes = source.shown_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let (mut whole, mut stretches) = (Counts::default(), Vec::new());
        let (mut having, mut stretch_count) = (BTreeMap::new(), 0);
        for stretch in stretches_of(&text) {
            let mut counts = Counts::default();
            self.count(stretch, 1.0, &mut counts);
            whole.add(&counts);
            stretch_count += 1;
            for word in counts.of_words.keys() {
                *having.entry(*word).or_default() += 1;
            }
            if !counts.of_words.is_empty() {
                self.count(path.as_str(), 0.5, &mut counts);
                stretches.push(counts);
            }
        }
        // What a file is called is what it is about.
        self.count(path.as_str(), 3.0, &mut whole);
        Some(Reading::Read(Box::new(Read {
            path: path.clone(),
            counts: whole,
            stretches,
            having,
            stretch_count,
        })))
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
            let cut = piece
                .iter()
                .map(|(_, file)| self.cut(snapshot, &files[*file].path, cancel));
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

    fn cut(&self, snapshot: &Snapshot, path: &RepoPath, cancel: &Cancel) -> Vec<(Passage, Counts)> {
        let Ok(source) = snapshot.read(path) else {
            return Vec::new();
        };
        let bytes = source.shown_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let counted = |passage: Passage| {
            let mut counts = Counts::default();
            let (first, last) = (
                passage.span.start() as usize - 1,
                passage.span.end() as usize,
            );
            for line in lines.get(first..last).unwrap_or_default() {
                self.count(line, 1.0, &mut counts);
            }
            if let Some(symbol) = &passage.symbol {
                self.count(symbol, 3.0, &mut counts);
            }
            self.count(path.as_str(), 0.5, &mut counts);
            (passage, counts)
        };
        let passages = passages(path.as_str(), &lines, &bytes, &|| cancel.is_cancelled());
        passages.into_iter().map(counted).collect()
    }
}

/// Adds to the score of passages what they get from those they are linked with.
fn follow(snapshot: &Snapshot, files: &[Read], all: &mut [Scored]) {
    let named: Vec<Named> = all
        .iter()
        .map(|one| Named {
            score: one.score,
            name: own_name(one.passage.symbol.as_deref()),
            is_aside: aside(files[one.file].path.as_str()).is_some(),
        })
        .collect();
    let text = |at: usize| {
        let place = shown(snapshot, &files[all[at].file].path, all[at].passage.span);
        place.map_or_else(String::new, |(text, _)| text.as_str().to_owned())
    };
    for (at, gain) in gains(&named, text) {
        all[at].score += gain;
    }
}

/// A text in stretches of [`STRETCH`] lines.
fn stretches_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.match_indices('\n').nth(STRETCH - 1);
        let (stretch, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at + 1));
        rest = after;
        Some(stretch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_all_of_a_text() {
        for lines in [0, 1, 29, 30, 31, 61] {
            let text = "a line\n".repeat(lines) + "the end";
            assert_eq!(stretches_of(&text).collect::<String>(), text);
            assert_eq!(stretches_of(&text).count(), lines / STRETCH + 1);
        }
    }
}
