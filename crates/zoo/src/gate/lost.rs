//! What the baseline has a value of, and the run has none: what nobody measures any more must not pass for what did not change.

use windlass_base::counted;

use super::{Checked, Regression};
use crate::OURS;
use crate::results::{Baseline, Choice, Results};
use crate::stats::number;

const MUST: &str = "what the baseline has a value of has one";

/// Holds each archetype of `results` against what the baseline has of it; what a gate has told already is not told again.
pub(super) fn check(results: &Results, baseline: &Baseline, checked: &mut Checked) {
    for archetype in results.archetypes() {
        let choice = Choice {
            archetype: Some(archetype),
            ..Choice::of(OURS)
        };
        for (metric, before) in baseline.means.get(archetype).into_iter().flatten() {
            let Some(before) = before else {
                continue;
            };
            let is = match results.summary(*metric, choice) {
                None => "not measured".to_owned(),
                Some(summary) if summary.mean.is_none() => {
                    format!("undefined in {}", counted(summary.undefined, "case"))
                }
                Some(_) => continue,
            };
            let mut told = checked.broken.iter();
            if told.any(|one| one.archetype == archetype && one.metric == metric.name()) {
                continue;
            }
            checked.broken.push(Regression {
                archetype: archetype.to_owned(),
                metric: metric.name().to_owned(),
                must: MUST.to_owned(),
                is: format!("{is}, where it was {}", number(*before)),
                cases: Vec::new(),
                reproduce: results.reproduce(Some(archetype), None, &[OURS]),
                about: Vec::new(),
                is_of_baseline: true,
            });
        }
    }
}
