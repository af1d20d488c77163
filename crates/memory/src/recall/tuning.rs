//! What is learned from feedback, and how far it reaches.
//!
//! The rule, for each line of the log, whatever its order:
//!
//! - `helpful` and `missed` tie the words of the query to the record (0.5 and 1 steps), `irrelevant` unties them (1 step);
//!   the sum of a tie lies between -2 and 2 steps. A tie counts for a question that shares at least half of the words with
//!   it, and at least two unless both have but one: by the square of that share. All other questions are left as they are. What
//!   only the new question says counts against the tie, where another record has it (`learned`); and words lift a record by a
//!   quarter only, where they stand in it by themselves.
//! - A record weighs a hundredth more for each question but the first to which it was `helpful`, and less for each to which it was
//!   `irrelevant`, at most 5 either way: what was said of one question says nothing of others.
//! - The bounds of weak and strong go up by half a hundredth for each record that was `irrelevant` or `overloaded` (strong alone),
//!   and down by as much for each that was `missed`, however often; at most 4 hundredths either way. What was said of one record,
//!   or of none, says little of all others.
//! - Each `overloaded` that is not made up for by a `helpful` takes one of the records that are loaded, but never the first.
//!
//! Everything is a sum that is bounded at the end, so that two branches of the log give the same in either order, and replaying
//! it gives what was learned before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::query::Query;
use crate::feedback::{Feedback, Outcome};

/// The most a record weighs more or less, in hundredths.
const MOST_WEIGHT: i64 = 5;
/// How far the bounds go up or down for one record, in thousandths.
const STEP: i64 = 5;
/// How far the bounds go up or down, in thousandths.
const MOST_SHIFT: i64 = 40;
/// The most steps of a tie, in halves.
const MOST_STEPS: i64 = 4;
/// The most ties that are kept: those that say most.
const MOST_TIES: usize = 4_000;
/// How much of the words two questions have to share for one to say something of the other.
const LEAST_SHARE: f64 = 0.5;

/// The words of a query that are tied to a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    /// The record, by the id of an impression.
    pub id: String,
    /// The stems of the words.
    pub words: BTreeSet<String>,
    /// How close, in halves of a step; below zero it is kept away.
    pub steps: i64,
}

/// What was learned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// Which words lead to which record, or away from it.
    pub ties: Vec<Tie>,
    /// What records weigh more or less, in hundredths, by id.
    pub weights: BTreeMap<String, i64>,
    /// How much higher the bound of weak lies, in thousandths.
    pub weak_shift: i64,
    /// How much higher the bound of strong lies.
    pub strong_shift: i64,
    /// How many records fewer are loaded.
    pub fewer_records: usize,
}

impl Tuning {
    /// What follows from the log.
    #[must_use]
    pub fn learn(log: &[Feedback]) -> Self {
        let mut ties: BTreeMap<(String, BTreeSet<String>), i64> = BTreeMap::new();
        let mut said: BTreeMap<(&str, BTreeSet<String>), i64> = BTreeMap::new();
        let (mut weak, mut strong, mut overloaded) = (0i64, 0i64, 0i64);
        let mut shifted: BTreeSet<(Outcome, Option<&str>)> = BTreeSet::new();
        for feedback in log {
            let (steps, weight) = match feedback.outcome {
                Outcome::Helpful => (1, 1),
                Outcome::Missed => (2, 0),
                Outcome::Irrelevant => (-2, -1),
                Outcome::Overloaded => (0, 0),
            };
            let is_first = shifted.insert((feedback.outcome, feedback.matched_id.as_deref()));
            let shift = if is_first { STEP } else { 0 };
            match feedback.outcome {
                Outcome::Helpful => overloaded -= 1,
                Outcome::Missed => (weak, strong) = (weak - shift, strong - shift),
                Outcome::Irrelevant => (weak, strong) = (weak + shift, strong + shift),
                Outcome::Overloaded => (strong, overloaded) = (strong + shift, overloaded + 1),
            }
            let Some(id) = &feedback.matched_id else {
                continue;
            };
            let words = Query::of(&feedback.query).telling();
            if weight != 0 {
                *said.entry((id, words.clone())).or_default() += weight;
            }
            if steps != 0 && !words.is_empty() {
                *ties.entry((id.clone(), words)).or_default() += steps;
            }
        }
        let mut weights: BTreeMap<String, i64> = BTreeMap::new();
        for ((id, _), weight) in said {
            *weights.entry(id.to_owned()).or_default() += weight.signum();
        }
        let ties = ties
            .into_iter()
            .filter(|(_, steps)| *steps != 0)
            .map(|((id, words), steps)| Tie {
                id,
                words,
                steps: steps.clamp(-MOST_STEPS, MOST_STEPS),
            });
        let mut ties: Vec<Tie> = ties.collect();
        if ties.len() > MOST_TIES {
            ties.sort_by_key(|tie| std::cmp::Reverse(tie.steps.abs()));
            ties.truncate(MOST_TIES);
            ties.sort_by(|a, b| (&a.id, &a.words).cmp(&(&b.id, &b.words)));
        }
        for weight in weights.values_mut() {
            *weight = (*weight - weight.signum()).clamp(-MOST_WEIGHT, MOST_WEIGHT);
        }
        weights.retain(|_, weight| *weight != 0);
        Self {
            ties,
            weights,
            weak_shift: weak.clamp(-MOST_SHIFT, MOST_SHIFT),
            strong_shift: strong.clamp(-MOST_SHIFT, MOST_SHIFT),
            fewer_records: usize::try_from(overloaded.clamp(0, 2)).unwrap_or(0),
        }
    }

    /// What ties say of a question: by the id of a record, from -1 to 1, and the words that say it.
    pub(super) fn of_query(&self, query: &Query) -> BTreeMap<&str, (f64, BTreeSet<&str>)> {
        let asked = query.telling();
        let mut found: BTreeMap<&str, (f64, BTreeSet<&str>)> = BTreeMap::new();
        for tie in &self.ties {
            let shared: Vec<&str> = tie
                .words
                .iter()
                .filter(|word| asked.contains(*word))
                .map(String::as_str)
                .collect();
            if shared.is_empty() {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "numbers of words")]
            let share = shared.len() as f64 / tie.words.len().max(asked.len()) as f64;
            let is_one_word = shared.len() == 1 && share < 1.0;
            if share < LEAST_SHARE || is_one_word {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "at most four halves")]
            let pull = tie.steps as f64 / MOST_STEPS as f64 * share * share;
            let entry = found.entry(&tie.id).or_default();
            entry.0 = (entry.0 + pull).clamp(-1.0, 1.0);
            entry.1.extend(shared);
        }
        found
    }

    /// What a record weighs, of which 1 is usual.
    pub(super) fn weight(&self, id: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "at most five hundredths")]
        let more = self.weights.get(id).copied().unwrap_or(0) as f64 / 100.0;
        1.0 + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(query: &str, outcome: Outcome, id: &str) -> Feedback {
        Feedback {
            query: query.to_owned(),
            outcome,
            matched_id: (!id.is_empty()).then(|| id.to_owned()),
            line: 1,
        }
    }

    #[test]
    fn the_order_of_the_log_does_not_matter_and_everything_is_bounded() {
        let mut log: Vec<Feedback> = (0..60)
            .map(|at| {
                let outcome = Outcome::ALL[at % 4];
                line(
                    ["settings sync", "retry queue"][at % 2],
                    outcome,
                    ["a", "b", ""][at % 3],
                )
            })
            .collect();
        log.extend((0..50).map(|_| line("settings sync", Outcome::Irrelevant, "a")));
        let learned = Tuning::learn(&log);
        log.reverse();
        assert_eq!(Tuning::learn(&log), learned);
        assert!(learned.ties.iter().all(|tie| tie.steps.abs() <= MOST_STEPS));
        assert!(
            learned
                .weights
                .values()
                .all(|weight| weight.abs() <= MOST_WEIGHT)
        );
        assert!(learned.weak_shift.abs() <= MOST_SHIFT && learned.strong_shift.abs() <= MOST_SHIFT);
        let kept = serde_json::to_string(&learned).unwrap();
        assert_eq!(serde_json::from_str::<Tuning>(&kept).unwrap(), learned);
    }

    #[test]
    fn what_is_said_of_one_record_moves_the_bounds_once() {
        let of = |ids: &[String]| {
            let log: Vec<Feedback> = ids
                .iter()
                .enumerate()
                .map(|(at, id)| line(&format!("tulips {at}"), Outcome::Irrelevant, id))
                .collect();
            Tuning::learn(&log).weak_shift
        };
        assert_eq!(of(&vec![String::new(); 16]), STEP);
        assert_eq!(of(&vec!["a".to_owned(); 16]), STEP);
        let many: Vec<String> = (0..30).map(|at| format!("r{at}")).collect();
        assert_eq!(of(&many), MOST_SHIFT);
    }

    #[test]
    fn a_question_with_less_than_half_of_the_words_is_left_alone() {
        let learned = Tuning::learn(&[line("preferences window colours", Outcome::Missed, "a")]);
        let pull = |query: &str| {
            learned
                .of_query(&Query::of(query))
                .get("a")
                .map_or(0.0, |found| found.0)
        };
        assert!(pull("colours of the preferences window") >= 0.5);
        assert!(pull("preferences window") > 0.0 && pull("preferences window") < 0.5);
        for other in [
            "preferences",
            "window of the retry queue in production",
            "settings",
            "",
        ] {
            assert_eq!(pull(other), 0.0, "{other}");
        }
    }
}
