//! What is found and printed, against what the baseline was written of; and whether the changelog says so.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::counted;

use super::{ANY, Before, Checked, Held, Regression, number};
use crate::results::{Baseline, Choice, Results};
use crate::{Metric, OURS};

/// What it is called where metrics are named.
pub const OUTPUT: &str = "output";

/// How many cases are named that are not what they were.
const NAMED: usize = 10;

const MUST: &str = "what is found and printed is what the baseline was written of";

/// Holds each archetype of `results` against the baseline, by digest.
pub(super) fn check(results: &Results, before: Before<'_>, checked: &mut Checked) {
    let baseline = before.baseline();
    let differing = baseline.map(|baseline| results.differing(baseline));
    let differing = differing.unwrap_or_default();
    for archetype in results.archetypes() {
        let is = match (baseline, baseline.map(|one| one.digests.get(archetype))) {
            (Err(why), _) => why,
            (Ok(_), Err(_) | Ok(None)) => "the baseline knows nothing of it",
            (Ok(_), Ok(Some(_))) if differing.iter().any(|one| one == archetype) => {
                "something else. Where that is meant, write a new baseline (`--write-baseline FILE`), and say in the changelog what came \
                 of it; where nothing was changed, this machine finds something else than the one that wrote it"
            }
            (Ok(_), Ok(Some(digest))) => {
                checked.held.push(Held {
                    archetype: archetype.to_owned(),
                    metric: OUTPUT.to_owned(),
                    must: MUST.to_owned(),
                    is: digest.clone(),
                });
                continue;
            }
        };
        let changed = baseline.ok();
        let changed = changed.and_then(|baseline| baseline.changed_cases(archetype, results));
        let changed = changed.unwrap_or_default();
        let mut cases: Vec<String> = changed.iter().take(NAMED).cloned().collect();
        if let Some(more) = changed.len().checked_sub(NAMED).filter(|more| *more > 0) {
            cases.push(format!("and {}", counted(more, "more case")));
        }
        // One that is there no more cannot be looked at.
        let mut there = results.chosen(Choice {
            archetype: Some(archetype),
            ..Choice::of(OURS)
        });
        let first = there.find(|case| changed.contains(&case.case));
        let first = first.map(|case| case.case.as_str());
        checked.broken.push(Regression {
            archetype: archetype.to_owned(),
            metric: OUTPUT.to_owned(),
            must: MUST.to_owned(),
            is: is.to_owned(),
            cases,
            reproduce: results.reproduce(Some(archetype), first, &[OURS]),
            about: Vec::new(),
            is_of_baseline: true,
        });
    }
}

/// What does not hold of a changelog that does not say of `baseline`, which `results` were held against, what came of it: its name, and
/// what changed with it, as [`changelog_line`] has it, however its lines are broken. Of a baseline that was written before it knew what changed
/// the name has to be there.
#[must_use]
pub fn named_in(
    (name, text): (&str, &str),
    baseline: &Baseline,
    results: &Results,
) -> Option<Regression> {
    let in_words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = in_words(text);
    let wanted = match &baseline.changes {
        Some(_) => in_words(&changelog_line(baseline)),
        None => mark(baseline),
    };
    let is = match (text.contains(&wanted), text.contains(&mark(baseline))) {
        (true, _) => return None,
        (false, true) => format!("`{name}` names it, and does not say what changed: {wanted}"),
        (false, false) => format!("`{name}` has no {wanted}"),
    };
    Some(Regression {
        archetype: ANY.to_owned(),
        metric: OUTPUT.to_owned(),
        must: "the changelog names the baseline, and says what changed with it".to_owned(),
        is,
        cases: Vec::new(),
        reproduce: format!("grep -F '{}' {name}", mark(baseline)),
        about: super::about(results),
        is_of_baseline: true,
    })
}

fn mark(baseline: &Baseline) -> String {
    format!("zoo {}", baseline.id())
}

/// What the changelog has to say of a baseline: its name, and what changed with it.
#[must_use]
pub fn changelog_line(baseline: &Baseline) -> String {
    let changes = baseline
        .changes
        .as_deref()
        .unwrap_or("nobody noted what changed");
    format!("`{}`: {changes}.", mark(baseline))
}

/// What changed from `before` to `new`, metric by metric.
#[must_use]
pub(crate) fn changes(new: &Baseline, before: Option<&Baseline>) -> String {
    let Some(before) = before else {
        return "the first of its kind".to_owned();
    };
    let mut changes = Vec::new();
    for (archetype, means) in &new.means {
        // One that is new is no change of another.
        let Some(old) = before.means.get(archetype) else {
            continue;
        };
        let metrics = means.keys().chain(old.keys()).collect::<BTreeSet<_>>();
        let value =
            |means: &BTreeMap<Metric, Option<f64>>, metric| means.get(metric).copied().flatten();
        let own = metrics.into_iter().filter_map(|metric| {
            let change = change(value(old, metric), value(means, metric))?;
            Some(format!("{} {change}", metric.name()))
        });
        let own: Vec<String> = own.collect();
        if !own.is_empty() {
            changes.push(format!("{archetype}: {}", own.join(", ")));
        }
    }
    match changes.is_empty() {
        true => "no figure changed".to_owned(),
        false => changes.join("; "),
    }
}

/// From one value to another, in words; nothing where they are the same as far as people read them.
fn change(before: Option<f64>, now: Option<f64>) -> Option<String> {
    match (before, now) {
        (None, None) => None,
        (Some(_), None) => Some("has no value any more".to_owned()),
        (None, Some(now)) => Some(format!("is {} for the first time", number(now))),
        (Some(before), Some(now)) => {
            let change = now - before;
            let sign = if change > 0.0 { "+" } else { "" };
            (change.abs() >= 0.000_05).then(|| format!("{sign}{}", number(change)))
        }
    }
}
