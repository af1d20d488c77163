//! Results as people and other programs read them: a web page, Markdown for a proposed change, JUnit for build servers.

mod beside;
mod html;
mod junit;
mod markdown;
mod versus;

pub use html::html;
pub use junit::junit;
pub use markdown::markdown;

use serde::{Deserialize, Serialize};

use crate::results::{Baseline, Choice, Results};
use crate::{Metric, OURS};

/// What earlier runs found, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The digest of each, and the means of ours.
    pub runs: Vec<(String, Baseline)>,
}

/// How many runs are remembered.
const REMEMBERED: usize = 50;

impl History {
    /// Remembers `results`, unless the last run of the same archetypes found just the same: then nothing was measured anew, or
    /// nothing changed.
    pub fn add(&mut self, results: &Results) {
        let (digest, means) = (results.digest().hex(), results.baseline());
        let mut before = self.runs.iter().rev();
        let last = before.find(|(_, run)| run.means.keys().eq(means.means.keys()));
        if last.is_some_and(|(known, _)| *known == digest) {
            return;
        }
        self.runs.push((digest, means));
        let surplus = self.runs.len().saturating_sub(REMEMBERED);
        self.runs.drain(..surplus);
    }
}

/// A case that is not as it should be: what was asked is not in view, or something false was claimed.
#[must_use]
pub fn fails(case: &crate::CaseResult) -> bool {
    case.failure.is_some()
        || case
            .value(Metric::CallsToAction)
            .is_some_and(|calls| calls > 2.0)
        || case
            .value(Metric::FalseClaimRate)
            .is_some_and(|rate| rate > 0.0)
        || case
            .value(Metric::RepairRate)
            .is_some_and(|rate| rate < 1.0)
        || case
            .value(Metric::Stability)
            .is_some_and(|share| share < 1.0)
        || case
            .value(Metric::SecretLeaks)
            .is_some_and(|leaks| leaks > 0.0)
        || case
            .value(Metric::RecallAtTokens)
            .is_some_and(|recall| recall == 0.0)
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
