//! What is found and printed, against what the baseline was written of; and whether the changelog says so.

use windlass_base::{counted, one_line};

use super::{ANY, Before, Checked, Held, Regression};
use crate::OURS;
use crate::results::{Baseline, Choice, Results};

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
    let text = one_line(text);
    let wanted = match &baseline.changes {
        Some(_) => one_line(&changelog_line(baseline)),
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
