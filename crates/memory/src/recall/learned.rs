//! What was learned from feedback, in the scores of a question.

use std::collections::{BTreeMap, BTreeSet};

use super::layers::RecallIndex;
use super::query::Query;
use super::score::{COMMON_WEIGHT, Looked};
use super::tuning::Pull;
use crate::recall::gathered::Found;
use crate::recall::segment::Posting;

/// How many words of its question a learned tie may stand for at most.
const TIED: f64 = 1.5;
/// How much a tie that leads away takes at most.
const UNTIED: f64 = 0.8;
/// How much words count against a tie that only the new question has.
const AGAINST: f64 = 1.5;

/// How far what the same question is tied to comes before what was the best, as a share of both scores.
const BEYOND: f64 = 0.1;

/// The words of a question, and where each stands.
type LookedUp<'a> = [(Looked<'a>, Vec<Posting>)];

impl RecallIndex {
    /// What was learned: words that are tied to a record and do not stand there count as if they did; those kept away from it
    /// count less. To the same question, what it is tied to comes as near to the best as the tie says.
    pub(super) fn apply_tuning(&self, query: &Query, looked: &LookedUp<'_>, found: &mut Found<'_>) {
        let tells = |stem: &str, is_common: bool| {
            let told = self.tells(self.entries_of(stem), is_common);
            if is_common {
                told * COMMON_WEIGHT
            } else {
                told
            }
        };
        let learned = self.tuning().of_query(query, tells);
        let mut same: Vec<(u32, f64)> = Vec::new();
        if !learned.is_empty() {
            for number in self.numbers() {
                let tie = self.entry(number).and_then(|entry| learned.get(entry.id));
                if let Some(tie) = tie {
                    let holds = pull(number, tie, looked, found);
                    same.push((number, tie.same * holds));
                }
            }
        }
        found.each_mut(|brief, gathered| {
            gathered.score *= 0.9 + 0.2 * f64::from(brief.weight) / 1000.0;
        });
        same.retain(|(_, pull)| *pull > 0.0);
        if !same.is_empty() {
            let scores = found.iter().map(|one| one.gathered.score);
            let best = scores.fold(0.0, f64::max);
            for (number, pull) in same {
                if let Some(one) = found.get_mut(number) {
                    let score = &mut one.gathered.score;
                    *score += pull * (best - *score + BEYOND * (best + *score));
                }
            }
        }
    }
}

/// Pulls entry `number` closer, or pushes it away, as its ties say. Says how far they hold for this question, from 0 to 1.
fn pull(number: u32, tie: &Pull<'_>, looked: &LookedUp<'_>, found: &mut Found<'_>) -> f64 {
    let words = &tie.words;
    let tied = looked
        .iter()
        .filter(|(one, _)| words.contains(one.word.stem.as_str()));
    let told: f64 = tied.clone().map(|(one, _)| one.value()).sum();
    let next = next_of(tied.clone().map(|(one, _)| one.value()));
    let lifted =
        tied.filter(|(_, postings)| postings.iter().all(|posting| posting.entry != number));
    let lifted: f64 = lifted.map(|(one, _)| one.value()).sum();
    let holds = holds(tie.pull, number, told, words, looked);
    let pull = tie.pull * holds;
    if pull > 0.0
        && let Some(one) = found.add(number)
    {
        let gathered = &mut one.gathered;
        gathered.score += pull * TIED * lifted;
        // As sure as what is not known yet allows.
        let known = gathered.answered.told;
        gathered.answered.told = known.max(known + (told - known) * pull.sqrt());
        let telling = u32::try_from(words.len()).unwrap_or(u32::MAX);
        gathered.answered.telling = gathered.answered.telling.max(telling);
        gathered.answered.next = gathered.answered.next.max(next * pull.sqrt());
        gathered.learned = pull;
    } else if let Some(one) = found.get_mut(number) {
        let gathered = &mut one.gathered;
        gathered.score *= 1.0 + UNTIED * pull;
        gathered.answered.told *= 1.0 + UNTIED * pull;
        gathered.answered.next *= 1.0 + UNTIED * pull;
        gathered.answered.has_own_cue &= pull == 0.0;
        gathered.learned = pull;
    }
    holds
}

/// The largest but one; 0 where there is but one.
fn next_of(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold((0.0, 0.0), |(most, next): (f64, f64), value| {
        (most.max(value), next.max(value.min(most)))
    });
    largest.1
}

/// How far what was said of one question holds for another, from 0 to 1, by the words that only this one has. Where they stand in
/// another record and not in the tied one, they tell the two questions apart; where they stand in the one that is kept away, it is
/// not kept away from them. They count against what the words tell that both questions have.
fn holds(pull: f64, entry: u32, told: f64, tied: &BTreeSet<&str>, looked: &LookedUp<'_>) -> f64 {
    let mut of_entries: BTreeMap<u32, f64> = BTreeMap::new();
    let own = looked.iter().filter(|(one, _)| {
        one.word.is_asked() && !one.word.is_common && !tied.contains(one.word.stem.as_str())
    });
    for (one, postings) in own {
        for posting in postings {
            *of_entries.entry(posting.entry).or_default() += one.value();
        }
    }
    let here = of_entries.get(&entry).copied().unwrap_or(0.0);
    let against = match pull > 0.0 {
        true => {
            of_entries
                .values()
                .fold(0.0, |most: f64, one| most.max(*one))
                - here
        }
        false => here,
    };
    match told > 0.0 {
        true => (1.0 - AGAINST * against / told).clamp(0.0, 1.0),
        false => 0.0,
    }
}
