//! Gates that a program decides about.

use windlass_engine::ErrorKind;
use windlass_ledger::MolStep;
use windlass_ledger::event::{MolGateClosed, MolGateOpened};

use super::drive_text::not_started;
use super::{Drive, DriveContext, Driver};
use crate::machine::{MolScope, gate_program, gate_step};
use windlass_site::Error;

impl Driver<'_> {
    /// Runs the program of each closed gate once, if this machine may run the gate's step. Returns
    /// true as soon as a gate has opened or was closed for good, since other steps may be ready
    /// then.
    pub(super) async fn try_gates(
        &mut self,
        context: &DriveContext<'_>,
        drive: &mut Drive,
    ) -> Result<bool, Error> {
        let DriveContext {
            machine,
            molecule,
            cooked,
        } = *context;
        let waiting = molecule.steps.iter().zip(&cooked.steps);
        let labels = self.options.labels;
        let is_here = |step: &MolStep| step.waits_at_gates() && step.runs_with(labels);
        for (step, asked) in waiting.filter(|(step, _)| is_here(step)) {
            for number in step.closed_gates() {
                let kind = asked.gates.get(number).map(|gate| &gate.kind);
                let Some((_, prints)) = kind.and_then(gate_program) else {
                    continue;
                };
                let name = gate_step(&step.id, number);
                // This program has run since the last pause, and would most likely print the same.
                if !drive.asked.insert(name.clone()) {
                    continue;
                }
                let (mol_id, step_id) = (molecule.id.clone(), step.id.clone());
                let gate = u32::try_from(number).unwrap_or(u32::MAX);
                let scope = MolScope(molecule);
                let started = machine.start(&scope, &name, None, self.options.stop.clone());
                let started = self.holding(started).await;
                let printed = started
                    .as_ref()
                    .ok()
                    .and_then(|output| output["stdout"].as_str());
                let printed = printed.unwrap_or_default().trim().to_owned();
                match started {
                    Ok(_) if prints.never.is_some_and(|never| printed == never) => {
                        drive.did(&step.id, format!("gate closed: {printed}"));
                        self.decide(|draft| {
                            draft.emit(MolGateClosed {
                                mol_id: mol_id.clone(),
                                step_id: step_id.clone(),
                                gate,
                                reason: format!("its gate will not open: {printed}"),
                                ..MolGateClosed::default()
                            })
                        })?;
                        return Ok(true);
                    }
                    Ok(_) if prints.open.is_none_or(|open| printed == open) => {
                        drive.did(&step.id, "gate opened");
                        let reason = match prints.open {
                            Some(_) => format!("its program printed {printed}"),
                            None => "its program ended with 0".to_owned(),
                        };
                        self.decide(|draft| {
                            draft.emit(MolGateOpened {
                                mol_id: mol_id.clone(),
                                step_id: step_id.clone(),
                                gate,
                                reason: Some(reason.clone()),
                                ..MolGateOpened::default()
                            })
                        })?;
                        return Ok(true);
                    }
                    Ok(_) => {
                        let why = format!("its gate: the program printed {printed}");
                        drive.closed.insert(step.id.clone(), why);
                    }
                    Err(error) => {
                        drive.refused |= error.kind == ErrorKind::Refused;
                        drive
                            .closed
                            .insert(step.id.clone(), not_started(&molecule.id, &error));
                    }
                }
            }
        }
        Ok(false)
    }
}
