//! What is found and printed, against what the baseline was written of; and whether the changelog says so.

use super::{ANY, Checked, Held, Regression, number};
use crate::OURS;
use crate::results::{Baseline, Results};

/// What it is called where metrics are named.
pub const OUTPUT: &str = "output";

const MUST: &str = "what is found and printed is what the baseline was written of";

/// Holds each archetype of `results` against the baseline, by digest.
pub(super) fn check(results: &Results, baseline: Option<&Baseline>, checked: &mut Checked) {
    let differing = baseline.map(|baseline| results.differing(baseline));
    for archetype in results.archetypes() {
        let known = baseline.and_then(|baseline| baseline.digests.get(archetype));
        let is = match (&differing, known) {
            (None, _) => "there is no baseline",
            (_, None) => "the baseline knows nothing of it",
            (Some(differing), _) if differing.iter().any(|one| one == archetype) => {
                "something else. Where that is meant, write a new baseline (`--write-baseline FILE`), and say in the changelog what came \
                 of it; where nothing was changed, this machine finds something else than the one that wrote it"
            }
            (_, Some(digest)) => {
                checked.held.push(Held {
                    archetype: archetype.to_owned(),
                    metric: OUTPUT.to_owned(),
                    must: MUST.to_owned(),
                    is: digest.clone(),
                });
                continue;
            }
        };
        checked.broken.push(Regression {
            archetype: archetype.to_owned(),
            metric: OUTPUT.to_owned(),
            must: MUST.to_owned(),
            is: is.to_owned(),
            cases: Vec::new(),
            reproduce: results.reproduce(Some(archetype), None, &[OURS]),
        });
    }
}

/// What does not hold of a changelog in which `baseline` is not named: whoever wrote a new one did not say what came of it.
#[must_use]
pub fn named_in(changelog: (&str, &str), baseline: &Baseline) -> Option<Regression> {
    let (name, text) = changelog;
    let mark = mark(baseline);
    (!text.contains(&mark)).then(|| Regression {
        archetype: ANY.to_owned(),
        metric: OUTPUT.to_owned(),
        must: "the changelog names the baseline, and says what changed with it".to_owned(),
        is: format!("`{name}` has no `{mark}`"),
        cases: Vec::new(),
        reproduce: format!("grep -F '{mark}' {name}"),
    })
}

fn mark(baseline: &Baseline) -> String {
    format!("zoo {}", baseline.id())
}

/// What the changelog has to say of a new baseline: its name, and what changed since `before`, metric by metric.
#[must_use]
pub fn changelog_line(new: &Baseline, before: Option<&Baseline>) -> String {
    let mut changes = Vec::new();
    let old = before.map(|before| &before.means);
    for (archetype, means) in &new.means {
        let own: Vec<String> = means
            .iter()
            .filter_map(|(metric, value)| {
                let before = old?.get(archetype)?.get(metric).copied().flatten()?;
                let change = (*value)? - before;
                let sign = if change > 0.0 { "+" } else { "" };
                (change.abs() >= 0.000_05)
                    .then(|| format!("{} {sign}{}", metric.name(), number(change)))
            })
            .collect();
        if !own.is_empty() {
            changes.push(format!("{archetype}: {}", own.join(", ")));
        }
    }
    let changes = match (before, changes.is_empty()) {
        (None, _) => "the first of its kind".to_owned(),
        (_, true) => "no figure changed".to_owned(),
        (_, false) => changes.join("; "),
    };
    format!("`{}`: {changes}.", mark(new))
}
