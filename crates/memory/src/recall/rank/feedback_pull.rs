//! Applies the effect of feedback to the scores for a question.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::{Candidates, Match};
use super::query_term::{COMMON_WEIGHT, QueryTerm};
use super::search::Search;
use super::tuning::Pull;

/// Maximum weight of a learned word, relative to a word found in the entry.
const PULL_WEIGHT: f64 = 1.5;
/// Maximum share of a score that negative feedback can take away.
const PUSH_SHARE: f64 = 0.8;
/// Weight of the question's words that the earlier query didn't have.
const OTHER_WEIGHT: f64 = 1.5;
/// Lead over the former best entry granted by feedback on the same question, as a share of both
/// scores.
const SAME_LEAD: f64 = 0.1;

/// The pulls of feedback on the entries for one question. A pull combines all feedback about one
/// entry.
pub(super) struct FeedbackPulls<'a> {
    terms: &'a [QueryTerm<'a>],
    pulls: Vec<EntryPull<'a>>,
}

/// The pull of feedback on one entry.
struct EntryPull<'a> {
    /// The entry's number.
    number: u32,
    pull: Pull<'a>,
    /// Share of the pull that applies to the question, from 0 to 1.
    transfer: f64,
}

impl<'a> FeedbackPulls<'a> {
    /// Collects the pulls that apply to a search.
    pub(super) fn of(search: &'a Search<'a>) -> Self {
        let layers = &search.index.layers;
        let information = |stem: &str, is_common: bool| {
            let frequency = layers.document_frequency(stem);
            let information = search.weighting.information(frequency, is_common);
            if is_common {
                information * COMMON_WEIGHT
            } else {
                information
            }
        };
        let by_id = search.index.tuning().pulls(search.query, information);
        let mut all = Self {
            terms: &search.terms,
            pulls: Vec::new(),
        };
        if by_id.is_empty() {
            return all;
        }
        for number in layers.numbers() {
            let entry = layers.entry(number);
            if let Some(pull) = entry.and_then(|entry| by_id.get(entry.id)) {
                let transfer = all.transfer(number, pull);
                all.pulls.push(EntryPull {
                    number,
                    pull: pull.clone(),
                    transfer,
                });
            }
        }
        all
    }

    /// Applies feedback on similar questions. Learned words count as if they were in the entry, and
    /// entries with negative feedback lose part of their score.
    pub(super) fn apply(&self, candidates: &mut Candidates<'_>) {
        for one in &self.pulls {
            let (number, pull) = (one.number, &one.pull);
            let strength = pull.strength * one.transfer;
            if strength > 0.0 {
                if let Some(one) = candidates.add(number) {
                    self.attract(number, pull, strength, &mut one.found);
                }
            } else if let Some(one) = candidates.get_mut(number) {
                push_away(strength, &mut one.found);
            }
        }
    }

    /// Moves entries confirmed by feedback on the same question to the best score and slightly
    /// beyond.
    pub(super) fn apply_same_question(&self, candidates: &mut Candidates<'_>) {
        let pulls = self.pulls.iter();
        let pulls = pulls.map(|one| (one.number, one.pull.same_question * one.transfer));
        let pulls: Vec<(u32, f64)> = pulls.filter(|(_, pull)| *pull > 0.0).collect();
        if pulls.is_empty() {
            return;
        }
        let scores = candidates.iter().map(|one| one.found.score);
        let best = scores.fold(0.0, f64::max);
        for (number, pull) in pulls {
            if let Some(one) = candidates.get_mut(number) {
                let score = &mut one.found.score;
                *score += pull * (best - *score + SAME_LEAD * (best + *score));
            }
        }
    }

    /// Raises the score of entry `number` by the learned words that it lacks.
    fn attract(&self, number: u32, pull: &Pull<'_>, strength: f64, found: &mut Match) {
        let learned = self.learned_terms(pull);
        let second = second_largest(learned.clone().map(QueryTerm::value));
        let missing = learned
            .clone()
            .filter(|term| term.posting(number).is_none());
        let missing: f64 = missing.map(QueryTerm::value).sum();
        let all: f64 = learned.map(QueryTerm::value).sum();
        found.score += strength * PULL_WEIGHT * missing;
        let features = &mut found.features;
        let matched = features.matched;
        features.matched = matched.max(matched + (all - matched) * strength.sqrt());
        let words = u32::try_from(pull.words.len()).unwrap_or(u32::MAX);
        features.distinctive = features.distinctive.max(words);
        features.second = features.second.max(second * strength.sqrt());
        found.learned = strength;
    }

    /// Returns the question's terms that were also in the earlier queries.
    fn learned_terms(&self, pull: &Pull<'_>) -> impl Iterator<Item = &QueryTerm<'a>> + Clone {
        let terms = self.terms.iter();
        terms.filter(|term| pull.words.contains(term.word.stem.as_str()))
    }

    /// Returns the share of `pull` that applies to this question, from 0 to 1.
    ///
    /// It depends on the words that the earlier queries didn't have. If another entry contains them
    /// but the confirmed one doesn't, the question is probably a different one. If the rejected
    /// entry contains them, the rejection may not apply.
    fn transfer(&self, number: u32, pull: &Pull<'_>) -> f64 {
        let learned: f64 = self.learned_terms(pull).map(QueryTerm::value).sum();
        let by_entry = self.other_words(&pull.words);
        let here = by_entry.get(&number).copied().unwrap_or(0.0);
        let against = match pull.strength > 0.0 {
            true => {
                let most = by_entry.values().fold(0.0, |most: f64, one| most.max(*one));
                most - here
            }
            false => here,
        };
        match learned > 0.0 {
            true => (1.0 - OTHER_WEIGHT * against / learned).clamp(0.0, 1.0),
            false => 0.0,
        }
    }

    /// Returns the information of the question's words that aren't learned, by entry.
    fn other_words(&self, learned: &BTreeSet<&str>) -> BTreeMap<u32, f64> {
        let mut by_entry: BTreeMap<u32, f64> = BTreeMap::new();
        let others = self.terms.iter().filter(|term| {
            term.word.is_required()
                && !term.word.is_common
                && !learned.contains(term.word.stem.as_str())
        });
        for term in others {
            for posting in &term.postings {
                *by_entry.entry(posting.entry).or_default() += term.value();
            }
        }
        by_entry
    }
}

/// Lowers a score by `strength`, which is negative or zero.
fn push_away(strength: f64, found: &mut Match) {
    let factor = 1.0 + PUSH_SHARE * strength;
    found.score *= factor;
    found.features.matched *= factor;
    found.features.second *= factor;
    found.features.has_unique_cue &= strength == 0.0;
    found.learned = strength;
}

/// Returns the second largest value, or 0 if there are fewer than two.
fn second_largest(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold((0.0, 0.0), |(most, next): (f64, f64), value| {
        (most.max(value), next.max(value.min(most)))
    });
    largest.1
}
