//! What a drive says of steps.

use std::collections::BTreeMap;

use windlass_engine::{ErrorKind, StepError};
use windlass_ledger::{Doer, MolStep, Molecule};
use windlass_plan::Status;

use super::MolWait;
use crate::gate_needs::GateView;

/// What a step waits for, unless it waits for another step.
pub(super) fn wait(
    view: &GateView<'_>,
    step: &MolStep,
    why: &BTreeMap<String, String>,
) -> Option<MolWait> {
    let molecule = view.molecule;
    let (mol, id) = (&molecule.id, &step.id);
    let waits_for = match step.shown() {
        Status::InProgress => {
            let holder = step.holder.as_deref().unwrap_or("somebody");
            let until = step.lease_end(view.now);
            let until = until.map(|until| format!(" until {until}"));
            format!("{holder}, who has it{}", until.unwrap_or_default())
        }
        Status::Ready | Status::Blocked if why.contains_key(id) => why[id].clone(),
        Status::Ready if molecule.room() == 0 => "another step to end: no more at once".to_owned(),
        Status::Ready if molecule.in_the_way_of(step).is_some() => {
            let other = molecule.in_the_way_of(step).map_or("", |other| &other.id);
            format!("`{other}` to end: the two are not done at once")
        }
        Status::Ready => match (&step.meant_for, step.doer) {
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
        Status::Blocked => step.retry_at.map(|at| format!("another try, from {at}"))?,
        Status::Failed => {
            let note = step.note.as_deref().unwrap_or("it failed");
            format!(
                "a better idea: {note}; `windlass mol push-back {mol} {id} --reason TEXT` has it done anew"
            )
        }
        Status::Pending | Status::Completed | Status::Skipped => return None,
    };
    Some(MolWait {
        step_id: id.clone(),
        waits_for,
    })
}

pub(super) fn not_started(molecule: &Molecule, error: &StepError) -> String {
    match error.kind {
        ErrorKind::Refused => format!(
            "somebody who allows it to start a program: `windlass trust mol:{}`, or `--allow-commands`",
            molecule.id
        ),
        ErrorKind::Cancelled => {
            "its program, which was stopped: it starts again with the next call".to_owned()
        }
        _ => format!("its gate, whose program failed: {error}"),
    }
}

pub(super) fn failed_words(again: bool, why: &str) -> String {
    match again {
        true => format!("failed, and may be tried again: {why}"),
        false => format!("failed: {why}"),
    }
}
