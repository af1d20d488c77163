//! What is learned from feedback, and how far it reaches.
//!
//! The rule, for each line of the log, whatever its order:
//!
//! - `helpful` and `missed` tie the words of the query to the record (1 and 4 steps), `irrelevant` unties them (1 step). A tie lies
//!   between -4 and 4 steps at any time: what was said is gone through by when it was said (of one time `irrelevant` first, then
//!   `helpful`, then `missed`), and more of the same goes no further. So two `missed` make up for thousands of `irrelevant` before.
//! - A tie counts for a question by the share of words that both have, each by how much it
//!   tells: at least 0.35 of the longer one, and two words unless both have but one. All other questions are left as they are. What only
//!   the new question says counts against the tie, where another record has it (`learned`); and only words that do not stand in the
//!   record by themselves lift it: of records that are like each other, no one is lifted by what all of them have.
//! - For the same question, told by all of its words but stop words, a tie also closes the gap to what scores best, by as much as it says
//!   (a quarter for each step), and a tenth more: who was told four steps of it comes first, whatever words others have. From a share
//!   of 0.8 on a question is the more the same one the more it has of it; below that it is another one.
//! - Nothing else moves a record: what was said of one question says nothing of others.
//! - A line that holds a secret value says nothing (`sources`): what is learned is kept. Of more ties than are kept, those stay that something was said of last.
//! - The bounds of weak and strong go up by half a hundredth for each record that was `irrelevant` or `overloaded` (strong alone),
//!   and down by as much for each that was `missed`, however often; at most 4 hundredths either way. What was said of one record,
//!   or of none, says little of all others.
//! - Each `overloaded` that no later `helpful` makes up for takes one of the records that are loaded, two at most, but never the first.
//!
//! What has an order has that of the times that stand in the lines, so that two branches of the log give the same in either order, and
//! replaying it gives what was learned before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use windlass_search::{Query, STRONG, WEAK};

use crate::records::feedback::{Feedback, Outcome};

/// How far the bounds go up or down for one record, in thousandths.
const STEP: i64 = 5;
/// How far the bounds go up or down, in thousandths.
pub(super) const MOST_SHIFT: i64 = 40;
/// The most steps of a tie.
const MOST_STEPS: i64 = 4;
/// The most ties that are kept: those that something was said of last; of one day, those that say most.
const MOST_TIES: usize = 4_000;
/// How much of what their words tell two questions have to share for one to say something of the other.
const LEAST_SHARE: f64 = 0.35;
/// From which share on two questions are the more the same one the more they share.
const SAME_SHARE: f64 = 0.8;
/// The most records fewer that are loaded.
const MOST_FEWER: i64 = 2;

/// The words of a query that are tied to a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    /// The record, by the id of an impression.
    pub id: String,
    /// The stems of the words.
    pub words: BTreeSet<String>,
    /// Those of its words that anybody may say: by them two questions of the same words are told apart.
    pub common: BTreeSet<String>,
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

/// What ties say of a question and a record.
#[derive(Debug, Default)]
pub(super) struct Pull<'a> {
    /// How close they bring it, from -1 to 1.
    pub(super) pull: f64,
    /// The same of ties to this very question alone.
    pub(super) same: f64,
    /// The words that say so.
    pub(super) words: BTreeSet<&'a str>,
}

/// What ties a record to a question: its id, and the words of it, telling and common.
type Tied = (String, BTreeSet<String>, BTreeSet<String>);

impl Tuning {
    /// What follows from the log.
    #[must_use]
    pub fn learn(log: &[Feedback]) -> Self {
        let mut said: BTreeMap<Tied, Vec<(&str, i64)>> = BTreeMap::new();
        let (mut weak, mut strong, mut loaded) = (0i64, 0i64, Vec::new());
        let mut shifted: BTreeSet<(Outcome, Option<&str>)> = BTreeSet::new();
        for feedback in log {
            let when = feedback.created.as_str();
            let steps = match feedback.outcome {
                Outcome::Helpful => 1,
                Outcome::Missed => 4,
                Outcome::Irrelevant => -1,
                Outcome::Overloaded => 0,
            };
            let is_first = shifted.insert((feedback.outcome, feedback.matched_id.as_deref()));
            let shift = if is_first { STEP } else { 0 };
            match feedback.outcome {
                Outcome::Helpful => loaded.push((when, -1)),
                Outcome::Missed => (weak, strong) = (weak - shift, strong - shift),
                Outcome::Irrelevant => (weak, strong) = (weak + shift, strong + shift),
                Outcome::Overloaded => {
                    strong += shift;
                    loaded.push((when, 1));
                }
            }
            let Some(id) = &feedback.matched_id else {
                continue;
            };
            let query = Query::of(&feedback.query);
            let (words, common) = known_by(&query);
            if steps != 0 && !words.is_empty() {
                let tied = (id.clone(), words, common);
                said.entry(tied).or_default().push((when, steps));
            }
        }
        // Of one time, what brought too much or too little to mind comes before what helped.
        loaded.sort_unstable_by_key(|(when, step)| (*when, Reverse(*step)));
        let ties = said
            .into_iter()
            .filter_map(|((id, words, common), mut said)| {
                said.sort_unstable();
                let last = said.last()?.0;
                let steps = walked(&said, -MOST_STEPS..=MOST_STEPS);
                let tie = Tie {
                    id,
                    words,
                    common,
                    steps,
                };
                (steps != 0).then_some((last, tie))
            });
        let mut ties: Vec<(&str, Tie)> = ties.collect();
        if ties.len() > MOST_TIES {
            ties.sort_by_key(|(last, tie)| Reverse((*last, tie.steps.abs())));
            ties.truncate(MOST_TIES);
            ties.sort_by(|(_, a), (_, b)| a.place().cmp(&b.place()));
        }
        let ties = ties.into_iter().map(|(_, tie)| tie).collect();
        Self {
            ties,
            weak_shift: weak.clamp(-MOST_SHIFT, MOST_SHIFT),
            strong_shift: strong.clamp(-MOST_SHIFT, MOST_SHIFT),
            fewer_records: usize::try_from(walked(&loaded, 0..=MOST_FEWER)).unwrap_or(0),
        }
    }

    /// Bounds of weak and strong, in thousandths.
    pub(super) fn bounds(&self) -> (i64, i64) {
        (WEAK + self.weak_shift, STRONG + self.strong_shift)
    }

    /// What ties say of a question, by the id of a record. `tells` says how much a word tells that is common, or not.
    pub(super) fn of_query(
        &self,
        query: &Query,
        tells: impl Fn(&str, bool) -> f64,
    ) -> BTreeMap<&str, Pull<'_>> {
        let asked = known_by(query);
        let told = |words: &BTreeSet<String>, is_common: bool| -> f64 {
            words.iter().map(|word| tells(word, is_common)).sum()
        };
        let all_asked = told(&asked.0, false);
        let with_common = all_asked + told(&asked.1, true);
        let mut found: BTreeMap<&str, Pull<'_>> = BTreeMap::new();
        for tie in &self.ties {
            let shared = tie.words.iter().filter(|word| asked.0.contains(*word));
            let shared: Vec<&str> = shared.map(String::as_str).collect();
            if shared.is_empty() {
                continue;
            }
            let all_tied = told(&tie.words, false);
            let both: f64 = shared.iter().map(|word| tells(word, false)).sum();
            let share = both / all_tied.max(all_asked).max(f64::MIN_POSITIVE);
            let is_one_of_more = shared.len() == 1 && tie.words.len().max(asked.0.len()) > 1;
            if share < LEAST_SHARE || is_one_of_more {
                continue;
            }
            let common = tie.common.iter().filter(|word| asked.1.contains(*word));
            let both: f64 = both + common.map(|word| tells(word, true)).sum::<f64>();
            let all = with_common.max(all_tied + told(&tie.common, true));
            let same = (both / all.max(f64::MIN_POSITIVE) - SAME_SHARE) / (1.0 - SAME_SHARE);
            #[expect(clippy::cast_precision_loss, reason = "at most four steps")]
            let steps = tie.steps as f64 / MOST_STEPS as f64;
            let entry = found.entry(&tie.id).or_default();
            entry.pull = (entry.pull + steps * share).clamp(-1.0, 1.0);
            entry.same = (entry.same + steps * same.clamp(0.0, 1.0)).clamp(-1.0, 1.0);
            entry.words.extend(shared);
        }
        found
    }
}

/// Stems by which a question is known, and its others: where no word tells what it is about, it is known by the common ones.
fn known_by(query: &Query) -> (BTreeSet<String>, BTreeSet<String>) {
    let asked = query.words.iter().filter(|word| word.is_asked());
    let (telling, common): (Vec<_>, Vec<_>) = asked.partition(|word| word.is_telling());
    let stems = |words: &[&windlass_search::QueryWord]| {
        let stems = words.iter().map(|word| word.stem.clone());
        stems.collect::<BTreeSet<_>>()
    };
    match telling.is_empty() {
        true => (stems(&common), BTreeSet::new()),
        false => (stems(&telling), stems(&common)),
    }
}

impl Tie {
    fn place(&self) -> (&str, &BTreeSet<String>, &BTreeSet<String>) {
        (&self.id, &self.words, &self.common)
    }
}

/// Where who goes these steps one by one gets to from 0, and never beyond `bounds`.
fn walked(steps: &[(&str, i64)], bounds: std::ops::RangeInclusive<i64>) -> i64 {
    steps.iter().fold(0, |at, (_, step)| {
        (at + step).clamp(*bounds.start(), *bounds.end())
    })
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
    fn what_was_said_last_counts_however_often_the_other_was_said_before() {
        let on = |day: &str, outcome: Outcome, times: usize| {
            let line = Feedback {
                created: day.to_owned(),
                ..line("settings sync", outcome, "a")
            };
            vec![line; times]
        };
        let steps = |mut log: Vec<Feedback>| {
            let learned = Tuning::learn(&log);
            log.reverse();
            assert_eq!(Tuning::learn(&log), learned);
            learned.ties.first().map_or(0, |tie| tie.steps)
        };
        let many = on("2026-02-01", Outcome::Irrelevant, 2_000);
        assert_eq!(steps(many.clone()), -MOST_STEPS);
        for day in ["2026-02-01", "2026-02-02T10:00:00"] {
            let undone = [many.clone(), on(day, Outcome::Missed, 1)].concat();
            assert_eq!(steps(undone), 0, "{day}");
            let led = [many.clone(), on(day, Outcome::Missed, 2)].concat();
            assert_eq!(steps(led), MOST_STEPS, "{day}");
        }
        let missed = on("2026-02-01", Outcome::Missed, 2_000);
        let away = [missed, on("2026-02-02", Outcome::Irrelevant, 8)].concat();
        assert_eq!(steps(away), -MOST_STEPS);
        let fewer = |log: &[Feedback]| Tuning::learn(log).fewer_records;
        let helpful = on("2026-02-01", Outcome::Helpful, 2_000);
        let too_much = on("2026-02-02", Outcome::Overloaded, 2_000);
        assert_eq!(fewer(&[helpful, too_much.clone()].concat()), 2);
        let again = on("2026-02-03", Outcome::Helpful, 2);
        assert_eq!(fewer(&[again, too_much].concat()), 0);
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
        assert!(learned.ties.is_sorted_by(|a, b| a.place() <= b.place()));
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
    fn only_of_the_same_question_it_is_said_that_it_is_the_same() {
        let learned = Tuning::learn(&[line("how do I make a release", Outcome::Missed, "a")]);
        let same = |query: &str| {
            learned
                .of_query(&Query::of(query), |_, is_common| match is_common {
                    true => 0.2,
                    false => 1.0,
                })
                .get("a")
                .map_or(0.0, |found| found.same)
        };
        assert_eq!(same("make the last release"), 0.0);
        assert_eq!(same("how do we make releases?"), 1.0);
        let other = same("who tests a release");
        assert!(other < 0.25, "{other}");
        assert_eq!(same("make the release notes"), 0.0);
    }

    #[test]
    fn a_question_that_shares_little_is_left_alone() {
        let learned = Tuning::learn(&[line("preferences window colours", Outcome::Missed, "a")]);
        let pull = |query: &str| {
            learned
                .of_query(&Query::of(query), |_, _| 1.0)
                .get("a")
                .map_or(0.0, |found| found.pull)
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
