//! What is learned from feedback, and how far it reaches.
//!
//! The rule, for each line of the log, whatever its order:
//!
//! - `helpful` and `missed` tie the words of the query to the record (1 and 4 steps), `irrelevant` unties them (1 step); the sum of
//!   a tie lies between -4 and 4 steps. A tie counts for a question by the share of words that both have, each by how much it
//!   tells: at least 0.35 of the longer one, and two words unless both have but one. All other questions are left as they are. What only
//!   the new question says counts against the tie, where another record has it (`learned`); and only words that do not stand in the
//!   record by themselves lift it: of records that are like each other, no one is lifted by what all of them have.
//! - Nothing else moves a record: what was said of one question says nothing of others.
//! - A line that holds a secret value says nothing (`sources`): what is learned is kept. Of more ties than are kept, those stay that something was said of last.
//! - The bounds of weak and strong go up by half a hundredth for each record that was `irrelevant` or `overloaded` (strong alone),
//!   and down by as much for each that was `missed`, however often; at most 4 hundredths either way. What was said of one record,
//!   or of none, says little of all others.
//! - Each `overloaded` that is not made up for by a `helpful` takes one of the records that are loaded, but never the first.
//!
//! Everything is a sum that is bounded at the end, so that two branches of the log give the same in either order, and replaying
//! it gives what was learned before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::query::Query;
use crate::feedback::{Feedback, Outcome};

/// How far the bounds go up or down for one record, in thousandths.
const STEP: i64 = 5;
/// How far the bounds go up or down, in thousandths.
const MOST_SHIFT: i64 = 40;
/// The most steps of a tie.
const MOST_STEPS: i64 = 4;
/// The most ties that are kept: those that something was said of last; of one day, those that say most.
const MOST_TIES: usize = 4_000;
/// How much of what their words tell two questions have to share for one to say something of the other.
const LEAST_SHARE: f64 = 0.35;

/// The words of a query that are tied to a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    /// The record, by the id of an impression.
    pub id: String,
    /// The stems of the words.
    pub words: BTreeSet<String>,
    /// How close, in steps; below zero it is kept away.
    pub steps: i64,
}

/// What was learned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// Which words lead to which record, or away from it.
    pub ties: Vec<Tie>,
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
        let mut ties: BTreeMap<(String, BTreeSet<String>), (i64, &str)> = BTreeMap::new();
        let (mut weak, mut strong, mut overloaded) = (0i64, 0i64, 0i64);
        let mut shifted: BTreeSet<(Outcome, Option<&str>)> = BTreeSet::new();
        for feedback in log {
            let steps = match feedback.outcome {
                Outcome::Helpful => 1,
                Outcome::Missed => 4,
                Outcome::Irrelevant => -1,
                Outcome::Overloaded => 0,
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
            if steps != 0 && !words.is_empty() {
                let (sum, last) = ties.entry((id.clone(), words)).or_default();
                *sum += steps;
                *last = feedback.created.as_str().max(*last);
            }
        }
        let ties = ties.into_iter().filter(|(_, (steps, _))| *steps != 0);
        let ties = ties.map(|((id, words), (steps, last))| {
            let steps = steps.clamp(-MOST_STEPS, MOST_STEPS);
            (last, Tie { id, words, steps })
        });
        let mut ties: Vec<(&str, Tie)> = ties.collect();
        if ties.len() > MOST_TIES {
            ties.sort_by_key(|(last, tie)| Reverse((*last, tie.steps.abs())));
            ties.truncate(MOST_TIES);
            ties.sort_by(|(_, a), (_, b)| (&a.id, &a.words).cmp(&(&b.id, &b.words)));
        }
        let ties = ties.into_iter().map(|(_, tie)| tie).collect();
        Self {
            ties,
            weak_shift: weak.clamp(-MOST_SHIFT, MOST_SHIFT),
            strong_shift: strong.clamp(-MOST_SHIFT, MOST_SHIFT),
            fewer_records: usize::try_from(overloaded.clamp(0, 2)).unwrap_or(0),
        }
    }

    /// What ties say of a question: by the id of a record, from -1 to 1, and the words that say it. `tells` says how much a
    /// word tells.
    pub(super) fn of_query(
        &self,
        query: &Query,
        tells: impl Fn(&str) -> f64,
    ) -> BTreeMap<&str, (f64, BTreeSet<&str>)> {
        let asked = query.telling();
        let all_asked: f64 = asked.iter().map(|word| tells(word)).sum();
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
            let all_tied: f64 = tie.words.iter().map(|word| tells(word)).sum();
            let both: f64 = shared.iter().map(|word| tells(word)).sum();
            let share = both / all_tied.max(all_asked).max(f64::MIN_POSITIVE);
            let is_one_of_more = shared.len() == 1 && tie.words.len().max(asked.len()) > 1;
            if share < LEAST_SHARE || is_one_of_more {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "at most four steps")]
            let pull = tie.steps as f64 / MOST_STEPS as f64 * share;
            let entry = found.entry(&tie.id).or_default();
            entry.0 = (entry.0 + pull).clamp(-1.0, 1.0);
            entry.1.extend(shared);
        }
        found
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
            created: "2026-02-01".to_owned(),
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
        assert!(learned.weak_shift.abs() <= MOST_SHIFT && learned.strong_shift.abs() <= MOST_SHIFT);
        let kept = serde_json::to_string(&learned).unwrap();
        assert_eq!(serde_json::from_str::<Tuning>(&kept).unwrap(), learned);
    }

    #[test]
    fn of_more_than_is_kept_the_newest_counts() {
        let mut log: Vec<Feedback> = (0..MOST_TIES + 100)
            .map(|at| line(&format!("word{at} thing{at}"), Outcome::Missed, "aa"))
            .collect();
        let newest = Feedback {
            created: "2026-02-02".to_owned(),
            ..line("preferences window", Outcome::Helpful, "zz")
        };
        log.insert(0, newest);
        let learned = Tuning::learn(&log);
        assert_eq!(learned.ties.len(), MOST_TIES);
        assert!(learned.ties.iter().any(|tie| tie.id == "zz"));
        assert!(learned.ties.is_sorted_by_key(|tie| (&tie.id, &tie.words)));
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
    fn a_question_that_shares_little_is_left_alone() {
        let learned = Tuning::learn(&[line("preferences window colours", Outcome::Missed, "a")]);
        let pull = |query: &str| {
            learned
                .of_query(&Query::of(query), |_| 1.0)
                .get("a")
                .map_or(0.0, |found| found.0)
        };
        assert!(pull("colours of the preferences window") >= 0.5);
        assert!(pull("preferences window") > 0.5 && pull("preferences window") < 1.0);
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
