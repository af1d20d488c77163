//! Results as people and other programs read them: a web page, Markdown for a proposed change, JUnit for build servers.

mod beside;
mod drilled;
mod history;
mod html;
mod junit;
mod markdown;
mod past;
mod shown_results;
mod versus;

pub use history::{History, Run};
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use shown_results::ShownResults;

use windlass_base::counted;

use crate::gate::Checked;
use crate::results::{Baseline, CaseResult, Choice, Results};
use crate::{Metric, OURS};

/// Whether a case is not as it should be: what was asked is not in view, something false was said or claimed, or more or something else was
/// printed than may be.
#[must_use]
pub fn fails(case: &CaseResult) -> bool {
    !why(case).is_empty()
}

/// In what a case is not as it should be, in words.
fn why(case: &CaseResult) -> Vec<&'static str> {
    let is = |metric, wrong: fn(f64) -> bool| case.value(metric).is_some_and(wrong);
    let reasons = [
        (case.failure.is_some(), "it failed"),
        (
            is(Metric::NothingSaid, |said| said < 1.0) && case.failure.is_none(),
            "places are shown where nothing answers",
        ),
        (
            is(Metric::RecallAtTokens, |recall| recall <= 0.0),
            "nothing of what is wanted is shown",
        ),
        (
            is(Metric::CallsToAction, |calls| calls > 2.0),
            "two calls do not lead there",
        ),
        (
            is(Metric::FalseClaimRate, |rate| rate > 0.0),
            "something is claimed that is not so",
        ),
        (
            is(Metric::RepairRate, |rate| rate < 1.0),
            "not all is found again that can be",
        ),
        (
            is(Metric::Stability, |share| share < 1.0),
            "it is not the same when it is repeated",
        ),
        (
            is(Metric::BudgetOverflow, |tokens| tokens > 0.0),
            "more is printed than the budget",
        ),
        (
            is(Metric::SecretLeaks, |leaks| leaks > 0.0),
            "a secret value is printed",
        ),
    ];
    let reasons = reasons.into_iter().filter(|(is_so, _)| *is_so);
    reasons.map(|(_, why)| why).collect()
}

/// The archetypes that no gate was held against, where gates were held against others.
fn without_gates(results: &Results, checked: &Checked) -> Option<String> {
    let names = checked.not_held_against(results);
    (!names.is_empty()).then(|| {
        format!(
            "No gate was held against what is shown of {}.",
            names.join(", ")
        )
    })
}

/// Why systems failed, a line each.
fn failed(results: &Results) -> impl Iterator<Item = String> {
    results
        .failures()
        .into_iter()
        .map(|(system, count, first)| {
            let count = counted(count, "case");
            format!("{system} failed in {count}; the first: {first}")
        })
}

/// The metrics that ours has a value or a lack of for.
fn measured(results: &Results) -> Vec<Metric> {
    let choice = Choice::of(OURS);
    Metric::ALL
        .iter()
        .copied()
        .filter(|metric| results.summary(*metric, choice).is_some())
        .collect()
}

/// That not the same is found as the baseline was written of, if so.
fn not_the_same(results: &Results, baseline: &Baseline) -> Option<String> {
    let differing = results.differing(baseline);
    (!differing.is_empty()).then(|| {
        format!(
            "What is found is not what the baseline was written of: {}. Where nothing was changed, this machine finds something else \
             than the one that wrote it.",
            differing.join(", ")
        )
    })
}

/// The parts of `text`, each with whether it stands between backticks: what is typed. All of it is one part where one of them has no
/// other.
fn in_parts(text: &str) -> Vec<(bool, &str)> {
    let parts: Vec<&str> = text.split('`').collect();
    let is_odd = |at: usize| !at.is_multiple_of(2);
    let is_empty = |(at, part): (usize, &&str)| is_odd(at) && part.is_empty();
    if !is_odd(parts.len()) || parts.iter().enumerate().any(is_empty) {
        return vec![(false, text)];
    }
    let each = parts.into_iter().enumerate();
    each.map(|(at, part)| (is_odd(at), part)).collect()
}

/// `text` as it may stand in HTML, what stands between backticks as what is typed.
fn worded(text: &str) -> String {
    let each = in_parts(text).into_iter();
    each.map(|(is_typed, part)| match is_typed {
        false => escaped(part),
        true => format!("<code>{}</code>", escaped(part)),
    })
    .collect()
}

/// `text` as it may stand in HTML and XML; what XML cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
