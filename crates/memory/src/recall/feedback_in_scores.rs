//! Scores of a question by what was learned from feedback.

use std::collections::BTreeMap;

use windlass_search::{Query, Search};

use super::index::RecallIndex;
use super::tuning::{Pull, Tuning};

/// Maximum of the words of its question that a tie stands for.
const TIED: f64 = 1.5;
/// Maximum share of a score that a tie takes away.
const UNTIED: f64 = 0.8;
/// Weight of the words against a tie that only the new question has.
const AGAINST: f64 = 1.5;
/// Share of both scores by which what the same question is tied to comes before the best.
const BEYOND: f64 = 0.1;

impl Tuning {
    /// Lays on the scores of a search what was learned: tied words count for a record as if it had them, and a record that
    /// did not help scores less. For the same question, what it is tied to closes the gap to the best.
    pub(super) fn apply(&self, index: &RecallIndex, query: &Query, search: &mut Search<'_>) {
        let pulls = self.of_query(query, |stem, is_common| index.value_of(stem, is_common));
        let is_tied = |id: &str| pulls.contains_key(id);
        let tied: Vec<(u32, &str)> = index.entries_called(&is_tied).collect();
        let mut same = Vec::new();
        for (entry, id) in tied {
            let tie = &pulls[id];
            let holds = holds(entry, tie, query, search);
            pull(entry, tie, tie.pull * holds, query, search);
            same.push((entry, tie.same * holds));
        }
        let best = search.found.iter().map(|one| one.score);
        let best = best.fold(0.0, f64::max);
        for (entry, pull) in same.into_iter().filter(|(_, pull)| *pull > 0.0) {
            let score = &mut search.found_or_added(entry).score;
            *score += pull * (best - *score + BEYOND * (best + *score));
        }
    }
}

/// Pulls an entry closer, or pushes it away.
fn pull(entry: u32, tie: &Pull<'_>, pull: f64, query: &Query, search: &mut Search<'_>) {
    if pull == 0.0 {
        return;
    }
    let words = query.words.iter().enumerate();
    let tied = words.filter(|(_, word)| tie.words.contains(word.stem.as_str()));
    let tied: Vec<usize> = tied.map(|(at, _)| at).collect();
    let lacking = tied
        .iter()
        .filter(|at| !search.documents_with(**at).contains(&entry));
    let lifted: f64 = lacking.map(|at| search.value(*at)).sum();
    if pull < 0.0 {
        if let Some(found) = search.found.iter_mut().find(|one| one.document == entry) {
            found.score *= 1.0 + UNTIED * pull;
            found.learned = pull;
        }
        return;
    }
    let found = search.found_or_added(entry);
    found.score += pull * TIED * lifted;
    found.learned = pull;
    found.taught = tied.iter().fold(0, |bits, at| bits | 1 << at);
}

/// How far feedback on one question holds for another, 0 to 1. Words that only the new one has count against a tie to a record that
/// lacks them, where another record has them; and against one that leads away from a record that has them.
fn holds(entry: u32, tie: &Pull<'_>, query: &Query, search: &Search<'_>) -> f64 {
    let (mut told, mut others) = (0.0, BTreeMap::new());
    for (at, word) in query.words.iter().enumerate() {
        let value = search.value(at);
        if tie.words.contains(word.stem.as_str()) {
            told += value;
        } else if word.is_telling() {
            for document in search.documents_with(at) {
                *others.entry(document).or_insert(0.0) += value;
            }
        }
    }
    let here = others.get(&entry).copied().unwrap_or(0.0);
    let against = match tie.pull > 0.0 {
        true => others.into_values().fold(0.0, f64::max) - here,
        false => here,
    };
    match told > 0.0 {
        true => (1.0 - AGAINST * against / told).clamp(0.0, 1.0),
        false => 0.0,
    }
}
