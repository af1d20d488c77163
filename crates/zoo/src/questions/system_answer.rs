//! Asks a system, and measures the latency and stability of its answer.

use std::time::Duration;

use crate::Metric;
use crate::metric::Lines;
use crate::system::{Answer, Ask, System};

/// A system's answer to a question.
pub(super) struct SystemAnswer {
    /// The answer. It's empty if the system failed.
    pub(super) answer: Answer,
    has_answered: bool,
    took: Duration,
    /// 1 if the repeated question had the same answer, otherwise 0. `None` if we didn't repeat it.
    stable: Option<f64>,
    pub(super) failure: Option<String>,
}

impl SystemAnswer {
    /// Asks `system`. If its answers may differ, asks `again` about the same files in another
    /// folder.
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
        let again = is_asked_again.then(|| system.says_again(again, &answer));
        let stable = again.map(|again| {
            let again = again.map_err(|why| {
                failure = Some(format!("the repeated question failed: {why}"));
            });
            f64::from(u8::from(again.is_ok_and(|same| same)))
        });
        Self {
            answer,
            has_answered,
            took,
            stable,
            failure,
        }
    }

    /// Returns the values for the way the system answered, such as its latency.
    pub(super) fn values(&self, wanted: &Lines) -> Vec<(Metric, Option<f64>)> {
        let took = self.took.as_secs_f64() * 1e3;
        let mut values = vec![
            (Metric::Stability, self.stable),
            (Metric::Latency, self.has_answered.then_some(took)),
        ];
        if !self.has_answered {
            // A failed system printed no secret and stayed within the budget, but that must not
            // count in its favour.
            let printed = [Metric::BudgetOverflow, Metric::SecretLeaks];
            values.extend(printed.map(|metric| (metric, None)));
        }
        if wanted.is_empty() {
            // A failure is also empty, but it doesn't claim that nothing matches.
            let said = self.has_answered && self.answer.is_empty();
            values.push((Metric::NothingSaid, Some(f64::from(u8::from(said)))));
        }
        values
    }
}
