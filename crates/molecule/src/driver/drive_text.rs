//! Texts in the reports of a drive: what it waits for, and the results of steps.

use std::collections::BTreeMap;

use windlass_engine::{ErrorKind, StepError};
use windlass_ledger::{Doer, MolStep};
use windlass_plan::Status;

use super::MolWait;
use crate::gate_needs::GateView;

/// Describes what a step waits for. A step that waits for another step has no text of its own, and
/// neither has one that ended without a failure.
pub(super) fn wait(
    view: &GateView<'_>,
    step: &MolStep,
    why: &BTreeMap<String, String>,
    labels: &[String],
) -> Option<MolWait> {
    let molecule = view.molecule;
    let (mol, id) = (&molecule.id, &step.id);
    let waits_for = match step.shown() {
        Status::InProgress => {
            let holder = step.holder.as_deref().unwrap_or("another actor");
            let until = step.lease_end(view.now);
            let until = until.map(|until| format!(" until {until}"));
            format!("{holder}, who has claimed it{}", until.unwrap_or_default())
        }
        Status::Ready | Status::Blocked if why.contains_key(id) => why[id].clone(),
        Status::Ready if molecule.room() == 0 => {
            "another step to end: the concurrency limit is reached".to_owned()
        }
        Status::Ready if molecule.in_the_way_of(step).is_some() => {
            let other = molecule.in_the_way_of(step).map_or("", |other| &other.id);
            format!("`{other}` to end: the two do not run at the same time")
        }
        Status::Ready => match (&step.meant_for, step.doer) {
            (_, Doer::Machine) if !step.runs_with(labels) => {
                let needed = step.runs_on.join(",");
                format!(
                    "a machine with `runs_on` {needed}: `windlass mol drive --watch --label {needed}`"
                )
            }
            (_, Doer::Machine) => format!("the machine: `windlass mol drive {mol}`"),
            (Some(name), _) => format!("{name}: `windlass mol claim {mol} {id}`"),
            (None, Doer::Person) => {
                format!("a person and an agent: `windlass mol claim {mol} {id}`")
            }
            (None, _) => format!("an agent: `windlass mol claim {mol} {id}`"),
        },
        Status::Blocked if step.waits_at_gates() => {
            let needs = view.needs(step).into_iter();
            let needs = needs.map(|need| format!("{}: `{}`", need.waits_for, need.call));
            needs.collect::<Vec<_>>().join("; and ")
        }
        Status::Blocked => step.retry_at.map(|at| format!("a retry at {at}"))?,
        Status::Failed => {
            let note = step.note.as_deref().unwrap_or("it failed");
            format!(
                "another attempt: {note}; `windlass mol push-back {mol} {id} --reason TEXT` starts one"
            )
        }
        Status::Pending | Status::Completed | Status::Skipped => return None,
    };
    Some(MolWait {
        step_id: id.clone(),
        waits_for,
    })
}

pub(super) fn not_started(mol: &str, error: &StepError) -> String {
    match error.kind {
        ErrorKind::Refused => format!(
            "permission to start a program: `windlass trust mol:{mol}`, or `--allow-commands`"
        ),
        ErrorKind::Cancelled => {
            "its program, which was stopped and starts again with the next command".to_owned()
        }
        _ => format!("its gate: the program failed: {error}"),
    }
}

pub(super) fn failure_text(again: bool, why: &str) -> String {
    match again {
        true => format!("failed and may be retried: {why}"),
        false => format!("failed: {why}"),
    }
}
