//! Events about the gates before steps.

use windlass_plan::{Event, Status, StepIndex};

use super::apply_step::{end, last_of};
use super::{Refusal, State};
use crate::event::{EventLine, MolGateClosed, MolGateOpened};
use crate::molecule::Molecule;

type Applied = Result<(), Refusal>;

impl State {
    pub(super) fn open_gate(&mut self, event: &EventLine<'_>, data: MolGateOpened) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let number = waiting_gate(molecule, at, data.gate)?;
            let gate = &mut molecule.steps[at.index()].gates[number];
            gate.opened_at = Some(event.timestamp.to_millis());
            gate.opened_by = Some(event.actor.to_string());
            gate.inputs = data.inputs;
            Ok(())
        })
    }

    pub(super) fn close_gate(&mut self, event: &EventLine<'_>, data: MolGateClosed) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            waiting_gate(molecule, at, data.gate)?;
            molecule.tell(Event::Started { step: at }, event.timestamp)?;
            let attempt = molecule.steps[at.index()].attempt;
            end(
                molecule,
                at,
                event,
                serde_json::Value::Null,
                Some(data.reason),
            );
            let failed = Event::Failed {
                step: at,
                attempt,
                retryable: false,
            };
            molecule.tell(failed, event.timestamp)
        })
    }
}

/// The number of a gate that a step waits for.
fn waiting_gate(molecule: &Molecule, at: StepIndex, gate: u32) -> Result<usize, Refusal> {
    let step = &molecule.steps[at.index()];
    let name = format!("gate {gate} of `{}` in `{}`", step.id, molecule.id);
    let number = gate as usize;
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    match step.gates.get(number) {
        None => Err(Refusal::new(format!("there is no {name}"))),
        Some(gate) if gate.opened_at.is_some() => {
            let by = gate.opened_by.as_deref().unwrap_or("somebody");
            refuse(format!("{name} was opened already, by {by}"))
        }
        Some(_) if step.status != Status::Ready || step.is_undecided() => refuse(format!(
            "{name} is not waited for: the step is {}",
            step.shown().as_str()
        )),
        Some(_) => Ok(number),
    }
}
