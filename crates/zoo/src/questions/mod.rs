//! Asks systems, and measures their answers.

mod answer_texts;
mod measure;
mod system_answer;

use std::time::Duration;

use crate::Metric;
use crate::recipe::Question;
use crate::results::CaseResult;
use crate::system::{Ask, System};
use crate::texts::Texts;
use answer_texts::{expected, judged, ranks, shown_lines};
use measure::Measure;
pub(crate) use measure::{leaks, of_file, share_saved, whole};
use system_answer::SystemAnswer;

/// Measurements for a question with an answer.
const MEASURED: [Metric; 15] = [
    Metric::CallsToAction,
    Metric::NotReached,
    Metric::TokenSaved,
    Metric::NoiseRatio,
    Metric::ContextEfficiency,
    Metric::RecallAtTokens,
    Metric::RecallAt1000Tokens,
    Metric::RecallAt500Tokens,
    Metric::RecallAt5,
    Metric::SuccessAt1,
    Metric::SuccessAt5,
    Metric::Mrr,
    Metric::Ndcg,
    Metric::Map,
    Metric::FalselyNothing,
];

/// A question, with everything that we need in order to ask a system.
pub(crate) struct Asking<'a> {
    pub(crate) archetype: &'a str,
    pub(crate) question: &'a Question,
    pub(crate) first: Ask<'a>,
    /// The same question about the same files in another folder.
    pub(crate) again: Ask<'a>,
    /// The order in which a user would open files after a plain search.
    pub(crate) order: Vec<&'a str>,
    /// A monotonic clock, for measuring how long an answer takes.
    pub(crate) clock: fn() -> Duration,
    /// Secrets that no system may print.
    pub(crate) secrets: &'a [&'a str],
}

impl Asking<'_> {
    pub(crate) fn answered_by(&self, system: &dyn System) -> CaseResult {
        let (question, ask) = (self.question, &self.first);
        let mut case = CaseResult {
            kind: Some(question.kind),
            asked: question.text.clone(),
            expected: expected(question),
            ..CaseResult::new(self.archetype, &question.id, system.name())
        };
        let wanted = match question.wanted(ask.files) {
            Ok(wanted) => wanted,
            Err(wrong) => {
                // An invalid case gets the worst values. Without any values, it'd look like a
                // question that has no answer.
                case.failure = Some(format!("invalid case: {wrong}"));
                let worst = |metric: Metric| (metric, metric.definition().worst());
                case.values = MEASURED.map(worst).into();
                return case;
            }
        };
        let heard = SystemAnswer::of(system, ask, &self.again, self.clock);
        let answer = &heard.answer;
        let measure = Measure {
            kind: question.kind,
            wanted: &wanted,
            neutral: &question.neutral,
            texts: &Texts::of(ask, answer),
            plain: ask.plain,
            order: &self.order,
            secrets: self.secrets,
        };
        let (values, reached) = measure.values(answer);
        case.values = values;
        case.values.extend(heard.values(&wanted));
        (case.shown, case.left_off) = shown_lines(answer, reached);
        case.ranking = Some(ranks(&judged(answer, &question.neutral), &wanted));
        case.printed = answer.digest.map(|digest| digest.hex());
        case.failure = heard.failure;
        case
    }
}

#[cfg(test)]
mod tests;
