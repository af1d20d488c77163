//! Applies gate events.

use windlass_plan::{Event, Status};

use super::apply_mol::MolFold;
use super::step_fold::StepFold;
use super::{Applied, Refusal};
use crate::event::{MolGateClosed, MolGateOpened};
use crate::molecule::StepOutput;

impl MolFold<'_> {
    pub(super) fn open_gate(&mut self, data: MolGateOpened) -> Applied {
        let event = self.event;
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            let number = fold.waiting_gate(data.gate)?;
            let gate = &mut fold.step().gates[number];
            gate.opened_at = Some(event.timestamp.to_millis());
            gate.opened_by = Some(event.actor.to_string());
            gate.inputs = data.inputs;
            Ok(())
        })
    }

    pub(super) fn close_gate(&mut self, data: MolGateClosed) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.waiting_gate(data.gate)?;
            // The schedule only lets a running step fail, so start it first.
            fold.tell(|step| Event::Started { step })?;
            let attempt = fold.step().attempt;
            fold.end(StepOutput::default(), Some(data.reason));
            fold.tell(|step| Event::Failed {
                step,
                attempt,
                retryable: false,
            })
        })
    }
}

impl StepFold<'_> {
    /// The index of `gate`. Rejects the event unless the gate is in front of the step and still
    /// closed.
    fn waiting_gate(&mut self, gate: u32) -> Result<usize, Refusal> {
        let name = format!("gate {gate} of {}", self.name(" in "));
        let number = gate as usize;
        let step = self.step();
        match step.gates.get(number) {
            None => Err(Refusal::new(format!("there is no {name}"))),
            Some(gate) if gate.opened_at.is_some() => {
                let by = gate.opened_by.as_deref().unwrap_or("an unknown actor");
                let reason = format!("{name} was already opened by {by}");
                self.refuse(reason)
            }
            Some(_) if step.status != Status::Ready || step.is_undecided() => {
                let now = step.shown().as_str();
                self.refuse(format!("{name} is not active: the step is {now}"))
            }
            Some(_) => Ok(number),
        }
    }
}
