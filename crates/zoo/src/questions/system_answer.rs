//! Asks a system, and measures how long it takes and if it gives the same answer again.

use std::time::Duration;

use crate::Metric;
use crate::metric::Lines;
use crate::system::{Answer, Ask, System};

pub(super) struct SystemAnswer {
    /// The answer, which is empty if the system has failed.
    pub(super) answer: Answer,
    has_answered: bool,
    took: Duration,
    /// If we've repeated the question, 1 if the answer was the same, and 0 otherwise.
    stable: Option<f64>,
    pub(super) failure: Option<String>,
}

impl SystemAnswer {
    /// Asks `system`. If it may give another answer the next time, we ask `again` as well, which is
    /// the same question about the same files in another folder.
    pub(super) fn of(
        system: &dyn System,
        ask: &Ask<'_>,
        again: &Ask<'_>,
        clock: fn() -> Duration,
    ) -> Self {
        let before = clock();
        let answered = system.answer(ask);
        let took = clock().saturating_sub(before);
        let (answer, mut failure) = match answered {
            Ok(answer) => (answer, None),
            Err(why) => (Answer::default(), Some(why)),
        };
        let has_answered = failure.is_none();
        let is_asked_again = has_answered && system.may_differ();
        let again = is_asked_again.then(|| system.answer(again));
        let stable = again.map(|again| {
            let again = again.map_err(|why| {
                failure = Some(format!("the repeated question failed: {why}"));
            });
            f64::from(u8::from(again.is_ok_and(|again| again == answer)))
        });
        Self {
            answer,
            has_answered,
            took,
            stable,
            failure,
        }
    }

    /// The values about the way in which the system answered, such as the latency.
    pub(super) fn values(&self, wanted: &Lines) -> Vec<(Metric, Option<f64>)> {
        let took = self.took.as_secs_f64() * 1e3;
        let mut values = vec![
            (Metric::Stability, self.stable),
            (Metric::Latency, self.has_answered.then_some(took)),
        ];
        if !self.has_answered {
            // A system that fails doesn't print secrets and doesn't exceed the budget. That's no
            // merit.
            let printed = [Metric::BudgetOverflow, Metric::SecretLeaks];
            values.extend(printed.map(|metric| (metric, None)));
        }
        if wanted.is_empty() {
            // The answer of a system that failed is empty too, but it doesn't claim that nothing
            // matches.
            let said = self.has_answered && self.answer.is_empty();
            values.push((Metric::NothingSaid, Some(f64::from(u8::from(said)))));
        }
        values
    }
}
