//! Learns from feedback which records belong to which questions.
//!
//! Suppose that a user asks "settings dialog" and then reports `missed` with the record
//! `settings-refactor`. This ties the words of the query to the record, which scores higher the
//! next time a question has enough of these words. In detail:
//!
//! - `helpful` and `missed` tie the words to the record by 1 and 4 steps, and `irrelevant` unties
//!   them by 1 step. We replay the log by time (with `irrelevant` first if the times are equal),
//!   and limit each tie to 4 steps in either direction after every line. Due to this limit, two
//!   `missed` always win, even over thousands of earlier `irrelevant`.
//! - A tie applies to a question if the words they share, weighted by information, make up at least
//!   0.35 of the longer one. If the question has no subject, two words have to be shared, unless
//!   both only have one.
//! - Further words of the question count against the tie if they occur in another record, see
//!   `feedback_pull`. Only words that the record lacks raise its score. Otherwise, similar records
//!   would gain from the words they have in common anyway.
//! - If the question is the same as an earlier one, its tie also moves the record towards the best
//!   score, by a quarter per step and by a tenth beyond the best. For this comparison, we use all
//!   words but stop words. Two questions begin to count as the same at a share of 0.8, and fully do
//!   so at 1.
//! - The thresholds for the levels `weak` and `strong` rise by 5 thousandths for each record that
//!   was `irrelevant` (no matter how often), and fall by 5 for each one that was `missed`.
//!   `overloaded` only raises the threshold for `strong`. No threshold moves by more than 40.
//! - Each `overloaded` reduces the number of records to load by one, unless a later `helpful`
//!   cancels it. The number never drops by more than two.
//!
//! Lines with a secret are skipped by `documents`, because the index stores the words of ties.
//!
//! The result only depends on the times in the lines, not on their order in the file. This matters
//! because the log is a text file under version control: when two branches are merged, their lines
//! may end up in any order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::recall::question::Query;
use crate::records::feedback::{Feedback, Outcome};

/// Shift of a threshold per record, in thousandths.
const SHIFT: i64 = 5;
/// Maximum shift of a threshold in either direction, in thousandths.
pub(super) const MAX_SHIFT: i64 = 40;
/// Maximum strength of a tie in either direction, in steps.
const MAX_STEPS: i64 = 4;
/// Maximum number of ties. Beyond it, we drop those without recent feedback first and, among ties
/// of the same time, the weaker ones.
const MAX_TIES: usize = 4_000;
/// Minimum shared fraction of two questions' information for a tie to apply.
const MIN_SHARE: f64 = 0.35;
/// Shared fraction at which two questions begin to be the same.
const SAME_SHARE: f64 = 0.8;
/// Maximum reduction of the number of records to load.
const MAX_FEWER: i64 = 2;

/// A learned association: the words of a query lead to a record, or away from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    /// The entry's ID, as in a hit.
    pub id: String,
    /// Stems of the query's words, of which a question must share enough.
    pub words: BTreeSet<String>,
    /// Stems of common words, such as "file". They do not make a tie apply, but they help to decide
    /// if two questions are the same.
    pub common: BTreeSet<String>,
    /// Strength of the tie, from -4 to 4. Negative if the record should be avoided.
    pub steps: i64,
}

/// Everything learned from the feedback so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// All ties, sorted by record.
    pub ties: Vec<Tie>,
    /// The shift of the threshold for `Level::Weak`, in thousandths.
    pub weak_shift: i64,
    /// The shift of the threshold for `Level::Strong`, in thousandths.
    pub strong_shift: i64,
    /// The number of records to load less than usual, because of `overloaded` feedback.
    pub fewer_records: usize,
}

/// The effect of all ties to one record on a question.
#[derive(Debug, Clone, Default)]
pub(super) struct Pull<'a> {
    /// From -1 (avoid the record) to 1 (prefer it).
    pub(super) strength: f64,
    /// The part of `strength` that comes from feedback on this very question.
    pub(super) same_question: f64,
    /// The ties' words shared with the question.
    pub(super) words: BTreeSet<&'a str>,
}

/// The entry's ID, the words and the common words.
type TieKey = (String, BTreeSet<String>, BTreeSet<String>);
/// Each step and its time.
type Steps<'a> = Vec<(&'a str, i64)>;

impl Tuning {
    /// Learns from the lines of a log, in any order.
    #[must_use]
    pub fn learn(log: &[Feedback]) -> Self {
        let mut steps: BTreeMap<TieKey, Steps<'_>> = BTreeMap::new();
        let (mut weak, mut strong, mut fewer) = (0i64, 0i64, Steps::new());
        let mut shifted: BTreeSet<(Outcome, Option<&str>)> = BTreeSet::new();
        for feedback in log {
            let time = feedback.created.as_str();
            // Repeated feedback on the same record shifts the thresholds only once, so a single
            // record that a user keeps complaining about doesn't affect all other questions.
            let is_first = shifted.insert((feedback.outcome, feedback.matched_id.as_deref()));
            let shift = if is_first { SHIFT } else { 0 };
            match feedback.outcome {
                Outcome::Helpful => fewer.push((time, -1)),
                Outcome::Missed => (weak, strong) = (weak - shift, strong - shift),
                Outcome::Irrelevant => (weak, strong) = (weak + shift, strong + shift),
                Outcome::Overloaded => {
                    strong += shift;
                    fewer.push((time, 1));
                }
            }
            if let Some((key, step)) = step_of(feedback) {
                steps.entry(key).or_default().push((time, step));
            }
        }
        // At the same time, apply `overloaded` before `helpful`.
        fewer.sort_unstable_by_key(|(time, step)| (*time, Reverse(*step)));
        Self {
            ties: latest_ties(steps),
            weak_shift: weak.clamp(-MAX_SHIFT, MAX_SHIFT),
            strong_shift: strong.clamp(-MAX_SHIFT, MAX_SHIFT),
            fewer_records: usize::try_from(bounded_sum(&fewer, 0..=MAX_FEWER)).unwrap_or(0),
        }
    }

    /// The pulls on records for `query`, by ID. `information` returns the information of a stem in
    /// nats; its second argument is true for common words.
    pub(super) fn pulls(
        &self,
        query: &Query,
        information: impl Fn(&str, bool) -> f64,
    ) -> BTreeMap<&str, Pull<'_>> {
        let (words, common) = query.signature();
        let sum = |words: &BTreeSet<String>, is_common: bool| -> f64 {
            words.iter().map(|word| information(word, is_common)).sum()
        };
        let has_subject = query.subject_words() > 0;
        let all_asked = sum(&words, false);
        let with_common = all_asked + sum(&common, true);
        let mut found: BTreeMap<&str, Pull<'_>> = BTreeMap::new();
        for tie in &self.ties {
            let shared = tie.words.iter().filter(|word| words.contains(*word));
            let shared: Vec<&str> = shared.map(String::as_str).collect();
            if shared.is_empty() {
                continue;
            }
            let all_tied = sum(&tie.words, false);
            let both: f64 = shared.iter().map(|word| information(word, false)).sum();
            let share = both / all_tied.max(all_asked).max(f64::MIN_POSITIVE);
            // A single shared word out of several is little evidence. We accept it if the question
            // has a subject at all, since the weighted share then has to be large enough.
            let is_one_of_more = shared.len() == 1 && tie.words.len().max(words.len()) > 1;
            if share < MIN_SHARE || (is_one_of_more && !has_subject) {
                continue;
            }
            let shared_common = tie.common.intersection(&common);
            let shared_common: f64 = shared_common.map(|word| information(word, true)).sum();
            // Compare with the longer question. If we used the shorter one, then "settings" would
            // be the same question as "settings dialog on Windows".
            let all = with_common.max(all_tied + sum(&tie.common, true));
            let both = both + shared_common;
            let same = (both / all.max(f64::MIN_POSITIVE) - SAME_SHARE) / (1.0 - SAME_SHARE);
            #[expect(clippy::cast_precision_loss, reason = "at most four steps")]
            let steps = tie.steps as f64 / MAX_STEPS as f64;
            let pull = found.entry(&tie.id).or_default();
            pull.strength = (pull.strength + steps * share).clamp(-1.0, 1.0);
            pull.same_question =
                (pull.same_question + steps * same.clamp(0.0, 1.0)).clamp(-1.0, 1.0);
            pull.words.extend(shared);
        }
        found
    }
}

impl Tie {
    fn key(&self) -> (&str, &BTreeSet<String>, &BTreeSet<String>) {
        (&self.id, &self.words, &self.common)
    }
}

/// The tie that `feedback` changes, and by how many steps. `None` for feedback without a record or
/// without words to tie.
fn step_of(feedback: &Feedback) -> Option<(TieKey, i64)> {
    let step = match feedback.outcome {
        Outcome::Helpful => 1,
        Outcome::Missed => 4,
        Outcome::Irrelevant => -1,
        Outcome::Overloaded => return None,
    };
    let id = feedback.matched_id.clone()?;
    let (words, common) = Query::of(&feedback.query).signature();
    (!words.is_empty()).then_some(((id, words, common), step))
}

/// The ties that are not zero, sorted by key.
fn latest_ties(steps: BTreeMap<TieKey, Steps<'_>>) -> Vec<Tie> {
    let ties = steps
        .into_iter()
        .filter_map(|((id, words, common), mut steps)| {
            // Sort by time and then by step, so that `irrelevant` (-1) comes first at the same
            // time.
            steps.sort_unstable();
            let last = steps.last()?.0;
            let steps = bounded_sum(&steps, -MAX_STEPS..=MAX_STEPS);
            let tie = Tie {
                id,
                words,
                common,
                steps,
            };
            (steps != 0).then_some((last, tie))
        });
    let mut ties: Vec<(&str, Tie)> = ties.collect();
    if ties.len() > MAX_TIES {
        ties.sort_by_key(|(last, tie)| Reverse((*last, tie.steps.abs())));
        ties.truncate(MAX_TIES);
        ties.sort_by(|(_, a), (_, b)| a.key().cmp(&b.key()));
    }
    ties.into_iter().map(|(_, tie)| tie).collect()
}

/// Adds up `steps`, clamping the sum to `bounds` after each one.
fn bounded_sum(steps: &[(&str, i64)], bounds: RangeInclusive<i64>) -> i64 {
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
    fn tuning_ignores_log_order_and_is_bounded() {
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
        assert!(learned.ties.iter().all(|tie| tie.steps.abs() <= MAX_STEPS));
        assert!(learned.weak_shift.abs() <= MAX_SHIFT && learned.strong_shift.abs() <= MAX_SHIFT);
        let stored = serde_json::to_string(&learned).unwrap();
        assert_eq!(serde_json::from_str::<Tuning>(&stored).unwrap(), learned);
    }

    #[test]
    fn newest_feedback_wins() {
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
        assert_eq!(steps(many.clone()), -MAX_STEPS);
        for day in ["2026-02-01", "2026-02-02T10:00:00"] {
            let undone = [many.clone(), on(day, Outcome::Missed, 1)].concat();
            assert_eq!(steps(undone), 0, "{day}");
            let led = [many.clone(), on(day, Outcome::Missed, 2)].concat();
            assert_eq!(steps(led), MAX_STEPS, "{day}");
        }
        let missed = on("2026-02-01", Outcome::Missed, 2_000);
        let away = [missed, on("2026-02-02", Outcome::Irrelevant, 8)].concat();
        assert_eq!(steps(away), -MAX_STEPS);
        let fewer = |log: &[Feedback]| Tuning::learn(log).fewer_records;
        let helpful = on("2026-02-01", Outcome::Helpful, 2_000);
        let too_much = on("2026-02-02", Outcome::Overloaded, 2_000);
        assert_eq!(fewer(&[helpful, too_much.clone()].concat()), 2);
        let again = on("2026-02-03", Outcome::Helpful, 2);
        assert_eq!(fewer(&[again, too_much].concat()), 0);
    }

    #[test]
    fn newest_ties_are_kept() {
        let mut log: Vec<Feedback> = (0..MAX_TIES + 100)
            .map(|at| line(&format!("word{at} thing{at}"), Outcome::Missed, "aa"))
            .collect();
        let newest = Feedback {
            created: "2026-02-02".to_owned(),
            ..line("preferences window", Outcome::Helpful, "zz")
        };
        log.insert(0, newest);
        let learned = Tuning::learn(&log);
        assert_eq!(learned.ties.len(), MAX_TIES);
        assert!(learned.ties.iter().any(|tie| tie.id == "zz"));
        assert!(learned.ties.is_sorted_by(|a, b| a.key() <= b.key()));
    }

    #[test]
    fn one_record_shifts_bounds_once() {
        let of = |ids: &[String]| {
            let log: Vec<Feedback> = ids
                .iter()
                .enumerate()
                .map(|(at, id)| line(&format!("tulips {at}"), Outcome::Irrelevant, id))
                .collect();
            Tuning::learn(&log).weak_shift
        };
        assert_eq!(of(&vec![String::new(); 16]), SHIFT);
        assert_eq!(of(&vec!["a".to_owned(); 16]), SHIFT);
        let many: Vec<String> = (0..30).map(|at| format!("r{at}")).collect();
        assert_eq!(of(&many), MAX_SHIFT);
    }

    #[test]
    fn same_question_is_recognized() {
        let learned = Tuning::learn(&[line("how do I make a release", Outcome::Missed, "a")]);
        let same = |query: &str| {
            learned
                .pulls(&Query::of(query), |_, is_common| match is_common {
                    true => 0.2,
                    false => 1.0,
                })
                .get("a")
                .map_or(0.0, |found| found.same_question)
        };
        assert_eq!(same("make the last release"), 0.0);
        assert_eq!(same("how do we make releases?"), 1.0);
        let other = same("who tests a release");
        assert!(other < 0.25, "{other}");
        assert_eq!(same("make the release notes"), 0.0);
    }

    #[test]
    fn question_with_few_shared_words_is_unaffected() {
        let learned = Tuning::learn(&[line("preferences window colours", Outcome::Missed, "a")]);
        let pull = |query: &str| {
            learned
                .pulls(&Query::of(query), |_, _| 1.0)
                .get("a")
                .map_or(0.0, |found| found.strength)
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
