//! Adjusts scores by the feedback on similar questions.
//!
//! Positive feedback acts as if the entry contained the words it lacks, and negative feedback
//! lowers its score. Both are weaker if the question has other words that point elsewhere. An entry
//! confirmed for the very same question is raised to the top.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::{Candidates, Match};
use super::query_term::{COMMON_WEIGHT, QueryTerm};
use super::search::Search;
use super::tuning::Pull;

/// The weight, at full strength, of a learned word missing from the entry. A word found there
/// counts 1.
const PULL_WEIGHT: f64 = 1.5;
/// Maximum fraction of a score that negative feedback takes away.
const PUSH_SHARE: f64 = 0.8;
/// The weight of words missing from the feedback's queries, relative to shared ones.
const OTHER_WEIGHT: f64 = 1.5;
/// The lead after feedback on the same question, as a fraction of the sum of both scores.
const SAME_LEAD: f64 = 0.1;

/// The effects of feedback on the entries for one question. All feedback on the same entry is
/// combined.
pub(super) struct FeedbackPulls<'a> {
    terms: &'a [QueryTerm<'a>],
    pulls: Vec<EntryPull<'a>>,
}

struct EntryPull<'a> {
    number: u32,
    pull: Pull<'a>,
    /// The applicable fraction of the pull, from 0 to 1.
    transfer: f64,
}

impl<'a> FeedbackPulls<'a> {
    pub(super) fn of(search: &'a Search<'a>) -> Self {
        let segment = &search.index.segment;
        let information = |stem: &str, is_common: bool| {
            let frequency = segment.document_frequency(stem);
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
        // Without any feedback, we don't have to go through the entries.
        if by_id.is_empty() {
            return all;
        }
        for number in segment.numbers() {
            let entry = segment.entry(number);
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
    /// negative feedback lowers its score.
    pub(super) fn apply(&self, candidates: &mut Candidates<'_>) {
        for one in &self.pulls {
            let (number, pull) = (one.number, &one.pull);
            let strength = pull.strength * one.transfer;
            if strength > 0.0 {
                // The entry may contain none of the question's words, so it may not be a candidate
                // yet.
                if let Some(one) = candidates.add(number) {
                    self.attract(number, pull, strength, &mut one.found);
                }
            } else if let Some(one) = candidates.get_mut(number) {
                push_away(strength, &mut one.found);
            }
        }
    }

    /// Raises an entry confirmed by feedback on the same question to the best score, or slightly
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
                // At full strength, the new score is the best one plus the lead.
                *score += pull * (best - *score + SAME_LEAD * (best + *score));
            }
        }
    }

    /// Raises an entry's score by the missing learned words. Its score already includes the others.
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

    fn learned_terms(&self, pull: &Pull<'_>) -> impl Iterator<Item = &QueryTerm<'a>> + Clone {
        let terms = self.terms.iter();
        terms.filter(|term| pull.words.contains(term.word.stem.as_str()))
    }

    /// The applicable fraction of `pull` for this question, from 0 to 1.
    ///
    /// Some of the question's words are new, i.e. missing from the earlier queries. If another
    /// entry contains them and the confirmed one does not, this is probably a different question.
    /// If the rejected entry contains them, the rejection may not apply.
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

/// Lowers a score. `strength` must not be positive.
fn push_away(strength: f64, found: &mut Match) {
    let factor = 1.0 + PUSH_SHARE * strength;
    found.score *= factor;
    found.features.matched *= factor;
    found.features.second *= factor;
    found.features.has_unique_cue &= strength == 0.0;
    found.learned = strength;
}

/// The second largest value, or 0 for fewer than two values.
fn second_largest(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold((0.0, 0.0), |(most, next): (f64, f64), value| {
        (most.max(value), next.max(value.min(most)))
    });
    largest.1
}
