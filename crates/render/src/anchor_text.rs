//! Text output of `anchor repair` and `anchor explain`.

use windlass::base::{RepairOutcome, counted};
use windlass::notebook::push_next;
use windlass::packs::{Style, Styled, harmless_line, state};
use windlass::{ExplainedAnchor, NewPlace, Repaired, UnfitPlace};

use crate::capped_rows::{MAX_SHOWN, push_rest};

/// Maximum number of lines in the diff of a single pointer. Longer diffs are cut off.
const MAX_DIFF_LINES: usize = 60;

/// Shows each repaired pointer as a diff of old and new, and then lists the unrepaired anchors.
#[must_use]
pub fn repaired_text(repaired: &Repaired) -> Styled {
    let mut out = Styled::default();
    for anchor in repaired.repaired.iter().take(MAX_SHOWN) {
        out.plain_text(anchor.id.as_str()).end_line();
        for place in &anchor.evidence {
            diff(&mut out, place);
        }
    }
    push_rest(&mut out, repaired.repaired.len());
    for report in repaired.left.iter().take(MAX_SHOWN) {
        let (word, style) = state(&report.judgement);
        out.push(style, format!("{word:7}"));
        out.plain_text(format!("  {}", report.id));
        for checked in &report.evidence {
            let place = harmless_line(&checked.pointer.to_string());
            out.plain_text(format!("  {place}"));
        }
        if let Some(reason) = &report.judgement.reason {
            out.push(Style::Dim, format!("  {}", harmless_line(reason)));
        }
        out.end_line();
        for diff in report.evidence.iter().filter_map(|seen| seen.diff.as_ref()) {
            out.append(diff.text(MAX_DIFF_LINES, "    ", None));
        }
    }
    push_rest(&mut out, repaired.left.len());
    for unfit in repaired.unfit.iter().take(MAX_UNFIT) {
        let text = unfit_text(unfit);
        out.push(Style::Warn, harmless_line(&text)).end_line();
    }
    push_next(&mut out, &repaired.next_actions);
    out
}

/// Maximum number of worktrees and branches to list after a repair. We only mention some, because
/// the repair itself was successful.
const MAX_UNFIT: usize = 5;

/// Points out a worktree or branch that needs its own repair, since the new pointers do not fit its
/// files.
fn unfit_text(unfit: &UnfitPlace) -> String {
    let branch = unfit.branch.as_ref();
    let place = match (&unfit.worktree, branch) {
        (Some(tree), Some(branch)) => format!("worktree `{tree}` (branch `{branch}`)"),
        (Some(tree), None) => format!("worktree `{tree}`"),
        (None, branch) => format!("branch `{}`", branch.map_or("", String::as_str)),
    };
    let ids: Vec<String> = unfit.anchors.iter().map(|id| format!("`{id}`")).collect();
    format!(
        "note: does not fit {place}: {}; run `windlass anchor repair` there",
        ids.join(", ")
    )
}

fn diff(out: &mut Styled, place: &NewPlace) {
    let Some(new) = &place.repair.evidence else {
        return;
    };
    let (old, new) = (place.from.to_string(), new.to_string());
    out.push(Style::Bad, format!("- {}", harmless_line(&old)))
        .end_line();
    let how = place.repair.method.map_or("", |method| method.as_str());
    let how = how.replace('_', " ");
    let what = match place.repair.outcome {
        RepairOutcome::Edited => format!("edited, {} % retained: {how}", place.repair.confidence),
        outcome => format!("{}: {how}", outcome.as_str()),
    };
    out.push(Style::Good, format!("+ {}", harmless_line(&new)))
        .push(Style::Dim, format!("  # {what}"))
        .end_line();
    if let Some(diff) = &place.diff {
        out.append(diff.text(MAX_DIFF_LINES, "    ", None));
    }
}

/// Counts the repaired anchors on one line, followed by the command to undo the repair.
#[must_use]
pub fn repaired_summary(repaired: &Repaired) -> String {
    let count = counted(repaired.repaired.len(), "anchor");
    let left = match repaired.left.len() {
        0 => String::new(),
        left => format!("; {} not repaired", counted(left, "anchor")),
    };
    let change = &repaired.change;
    if repaired.repaired.is_empty() {
        format!("nothing to repair{left}")
    } else if change.dry_run {
        format!("{count} would be repaired{left}")
    } else {
        format!(
            "{count} repaired{left}; `windlass notebook rollback {}` reverts this",
            change.before
        )
    }
}

/// Shows the verdict on each anchor, followed by the steps behind the verdict.
#[must_use]
pub fn explained_text(explained: &[ExplainedAnchor]) -> Styled {
    let mut out = Styled::default();
    for anchor in explained {
        let (word, style) = state(&anchor.report.judgement);
        out.push(style, word)
            .plain_text(format!("  {}", anchor.report.id))
            .end_line();
        for (checked, steps) in anchor.report.evidence.iter().zip(&anchor.steps) {
            let place = checked.pointer.to_string();
            out.plain_text(format!("  {}", harmless_line(&place)))
                .end_line();
            for step in steps {
                out.plain_text(format!("    {step}")).end_line();
            }
        }
    }
    out
}
