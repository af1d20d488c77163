//! Rewrapped text: its words are in other lines than before, as after an editor has filled a
//! paragraph again.
//!
//! Both of git's methods compare whole lines, so they consider such a text deleted. The true
//! location is therefore found by comparing words.

use std::collections::{BTreeMap, BTreeSet};

use super::tracking::{Line, Tracking};

/// Number of words that are compared together. Shorter sequences recur by chance.
const SHINGLE: usize = 4;
/// Minimum number of words in a text that is compared.
const MIN_WORDS: usize = 8;

#[derive(Default)]
pub(super) struct NewWords {
    /// For each sequence of [`SHINGLE`] words, the lines on which it begins and ends.
    runs: BTreeMap<Vec<String>, Vec<(Line, u32)>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No location has half of its words.
    Nowhere,
    /// Several locations have half of its words.
    Several,
    /// File, with the first and last line.
    At(String, (u32, u32)),
}

impl NewWords {
    /// Reads those lines of the changed files that neither method traces back to the old state.
    pub(super) fn of<'a>(tracking: &Tracking, new: &dyn Fn(&str) -> Option<&'a [String]>) -> Self {
        let mut words = Self::default();
        for file in &tracking.changed {
            let lines = (1..).zip(new(file).unwrap_or_default());
            let is_new = |at: u32| !tracking.was_there(&(file.clone(), at));
            let new_lines = lines.filter(|(at, _)| is_new(*at));
            words.add(file, new_lines.map(|(at, line)| (at, line.as_str())));
        }
        words
    }

    fn add<'a>(&mut self, file: &str, lines: impl Iterator<Item = (u32, &'a str)>) {
        let words: Vec<(u32, &str)> = lines
            .flat_map(|(at, line)| words(line).map(move |word| (at, word)))
            .collect();
        for run in words.windows(SHINGLE) {
            let key = run.iter().map(|(_, word)| (*word).to_owned()).collect();
            let (first, last) = (run[0].0, run[SHINGLE - 1].0);
            let places = self.runs.entry(key).or_default();
            places.push(((file.to_owned(), first), last));
        }
    }

    /// Finds the location at which at least half of the word sequences of `text` are close
    /// together.
    pub(super) fn find(&self, text: &[&str]) -> Found {
        let words: Vec<String> = text
            .iter()
            .flat_map(|line| words(line))
            .map(str::to_owned)
            .collect();
        if words.len() < MIN_WORDS {
            return Found::Nowhere;
        }
        let wanted: BTreeSet<&[String]> = words.windows(SHINGLE).collect();
        let mut hits: BTreeMap<&Line, Vec<(u32, &[String])>> = BTreeMap::new();
        for run in &wanted {
            for (line, last) in self.runs.get(*run).into_iter().flatten() {
                hits.entry(line).or_default().push((*last, *run));
            }
        }
        // The same words may take more lines than before.
        let reach = text.len() as u32 * 2 + 8;
        let mut best: Vec<(String, (u32, u32))> = Vec::new();
        let all: Vec<(_, _)> = hits.iter().collect();
        let mut at = 0;
        while let Some((start, _)) = all.get(at) {
            let near = all[at..]
                .iter()
                .take_while(|(line, _)| line.0 == start.0 && line.1 - start.1 < reach);
            let found: BTreeSet<&[String]> = near
                .clone()
                .flat_map(|(_, runs)| runs.iter().map(|(_, run)| *run))
                .collect();
            let count = near.clone().count();
            if found.len() * 2 >= wanted.len() {
                let last = near.flat_map(|(_, runs)| runs.iter().map(|(last, _)| *last));
                let last = last.max().unwrap_or(start.1);
                best.push((start.0.clone(), (start.1, last)));
                at += count;
            } else {
                at += 1;
            }
        }
        match best.len() {
            0 => Found::Nowhere,
            1 => best
                .pop()
                .map_or(Found::Nowhere, |(file, lines)| Found::At(file, lines)),
            _ => Found::Several,
        }
    }
}

/// Returns the words of a line, without punctuation and comment marks.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}
