//! Compares results with a baseline, by digest and by value.
//!
//! With `same_as_baseline`, the output must be the same as in the run that wrote the baseline, each
//! metric in the baseline must still have a value, and the changelog must mention the baseline with
//! its changes. The point is that nobody can merge a change that moves a metric without noticing.

use windlass_base::{counted, one_line};

use super::{ANY, Checked, Held, Regression};
use crate::OURS;
use crate::results::{Baseline, Choice, Results};
use crate::stats::number;

/// Stands for the whole output in a violation, where the metric would be.
pub(super) const OUTPUT: &str = "output";
/// Maximum number of changed cases that we name in a violation.
const NAMED: usize = 10;
const SAME: &str = "the output is that of the baseline";

fn regression(
    results: &Results,
    archetype: &str,
    metric: &str,
    must: &str,
    is: String,
) -> Regression {
    let known = Some(archetype).filter(|one| *one != ANY);
    Regression {
        archetype: archetype.to_owned(),
        metric: metric.to_owned(),
        must: must.to_owned(),
        is,
        cases: Vec::new(),
        reproduce: results.reproduce(known, None, &[OURS]),
        is_of_baseline: true,
    }
}

/// Compares the digest of each archetype with the one in the baseline.
pub(super) fn check_output(results: &Results, baseline: Option<&Baseline>, checked: &mut Checked) {
    let differing = baseline.map(|baseline| results.differing(baseline));
    let differing = differing.unwrap_or_default();
    for archetype in results.archetypes() {
        let digest = baseline.map(|baseline| baseline.digests.get(archetype));
        let is = match digest {
            None => "no baseline",
            Some(None) => "the baseline does not have it",
            Some(Some(_)) if differing.iter().any(|one| one == archetype) => {
                "a different output. If that is intended, write a new baseline (`--write-baseline FILE`) and add it to the changelog; if \
                 nothing changed, the results depend on the machine"
            }
            Some(Some(digest)) => {
                checked.held.push(Held {
                    archetype: archetype.to_owned(),
                    metric: OUTPUT.to_owned(),
                    must: SAME.to_owned(),
                    is: digest.clone(),
                });
                continue;
            }
        };
        let changed = baseline.and_then(|baseline| baseline.changed_cases(archetype, results));
        let changed = changed.unwrap_or_default();
        let mut broken = regression(results, archetype, OUTPUT, SAME, is.to_owned());
        broken.cases = changed.iter().take(NAMED).cloned().collect();
        if let Some(more) = changed.len().checked_sub(NAMED).filter(|more| *more > 0) {
            broken
                .cases
                .push(format!("and {}", counted(more, "more case")));
        }
        // The violation tells how to reproduce a case, so pick one that still exists.
        let mut there = results.chosen(Choice::of(OURS).within(archetype));
        if let Some(first) = there.find(|case| changed.contains(&case.case)) {
            broken.reproduce = results.reproduce(Some(archetype), Some(&first.case), &[OURS]);
        }
        checked.broken.push(broken);
    }
}

/// Checks that all metrics with a value in the baseline still have one, because a metric that's no
/// longer measured would otherwise seem unchanged. If the metric violates a gate anyway, we don't
/// report it twice.
pub(super) fn check_lost(results: &Results, baseline: &Baseline, checked: &mut Checked) {
    const MUST: &str = "every metric of the baseline has a value";
    for archetype in results.archetypes() {
        let choice = Choice::of(OURS).within(archetype);
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
            let is = format!("{is}, was {}", number(*before));
            let lost = regression(results, archetype, metric.name(), MUST, is);
            checked.broken.push(lost);
        }
    }
}

/// Checks that the changelog has the [`changelog_line`], ignoring line breaks.
#[must_use]
pub fn named_in(
    (name, text): (&str, &str),
    baseline: &Baseline,
    results: &Results,
) -> Option<Regression> {
    let wanted = one_line(&changelog_line(baseline));
    (!one_line(text).contains(&wanted)).then(|| {
        let must = "the changelog has the entry of the baseline";
        let is = format!("`{name}` has no {wanted}");
        regression(results, ANY, OUTPUT, must, is)
    })
}

/// Returns the entry that the changelog must have for a baseline. It has the ID and the changes.
#[must_use]
pub fn changelog_line(baseline: &Baseline) -> String {
    let changes = baseline.changes.as_deref();
    let changes = changes.unwrap_or("changes not recorded");
    format!("`zoo {}`: {changes}.", baseline.id())
}
