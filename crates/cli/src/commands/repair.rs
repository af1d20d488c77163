//! `windlass anchor repair`: pointers as they were and as they are, as a diff.

use windlass::base::{RepairOutcome, counted};
use windlass::notebook::EditMode;
use windlass::pack::{Style, Styled, harmless_line, state};
use windlass::{NewPlace, RepairRequest, Repaired, Workspace, push_next};

use super::{Failure, print_data};
use crate::args::{AnchorRepairArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

/// The most anchors of one sort that text names; JSON names all of them.
const MAX_SHOWN: usize = 100;

pub(super) fn repair(
    workspace: &Workspace,
    args: AnchorRepairArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mode = if args.dry_run {
        EditMode::DryRun
    } else {
        EditMode::Write
    };
    let repaired = workspace.repair_anchors(&RepairRequest {
        ids: args.ids,
        edited: args.edited,
        mode,
    })?;
    match args.format {
        OutputFormat::Text => {
            screen.print_styled(&text(&repaired));
            screen.say(&summary(&repaired));
        }
        format => print_data(screen, format, &repaired)?,
    }
    Ok(if repaired.left.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn text(repaired: &Repaired) -> Styled {
    let mut out = Styled::default();
    for anchor in repaired.repaired.iter().take(MAX_SHOWN) {
        out.plain_text(anchor.id.as_str()).end_line();
        for place in &anchor.evidence {
            diff(&mut out, place);
        }
    }
    rest(&mut out, repaired.repaired.len());
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
    }
    rest(&mut out, repaired.left.len());
    push_next(&mut out, &repaired.next_actions);
    out
}

/// The pointer as it was and as it is, and how the new place was found.
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
        RepairOutcome::Edited => format!("edited, {} % kept: {how}", place.repair.confidence),
        outcome => format!("{}: {how}", outcome.as_str()),
    };
    out.push(Style::Good, format!("+ {}", harmless_line(&new)))
        .push(Style::Dim, format!("  # {what}"))
        .end_line();
}

fn rest(out: &mut Styled, count: usize) {
    if count > MAX_SHOWN {
        let more = count - MAX_SHOWN;
        out.push(
            Style::Dim,
            format!("… {more} more; `--format json` names all"),
        )
        .end_line();
    }
}

fn summary(repaired: &Repaired) -> String {
    let count = counted(repaired.repaired.len(), "anchor");
    let left = match repaired.left.len() {
        0 => String::new(),
        1 => "; 1 does not stand, and no new place is taken over for it".to_owned(),
        left => format!("; {left} do not stand, and no new place is taken over for them"),
    };
    let change = &repaired.change;
    if repaired.repaired.is_empty() {
        format!("nothing to repair{left}")
    } else if change.dry_run {
        format!("{count} would get new places{left}")
    } else {
        format!(
            "{count} got new places{left}; `windlass notebook rollback {}` takes it back",
            change.before
        )
    }
}
