//! Gates that run a program.

use windlass_engine::ErrorKind;
use windlass_ledger::MolStep;
use windlass_ledger::event::{MolGateClosed, MolGateOpened};

use super::drive_text::not_started;
use super::running_steps::RunningSteps;
use super::{Drive, DriveContext, DriveOptions, Driver};
use crate::machine::{MolScope, gate_program, gate_step};
use windlass_site::Error;

impl Driver<'_> {
    /// Runs the program of each closed gate once, on a machine that may run the step. Returns true
    /// if a gate opened or was closed for good.
    pub(super) async fn try_gates(
        &mut self,
        context: &DriveContext<'_>,
        drive: &mut Drive,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<bool, Error> {
        let DriveContext {
            machine,
            molecule,
            cooked,
        } = *context;
        let waiting = molecule.steps.iter().zip(&cooked.steps);
        let is_here = |step: &MolStep| step.waits_at_gates() && step.runs_with(options.labels);
        for (step, asked) in waiting.filter(|(step, _)| is_here(step)) {
            for number in step.closed_gates() {
                let kind = asked.gates.get(number).map(|gate| &gate.kind);
                let Some((_, prints)) = kind.and_then(gate_program) else {
                    continue;
                };
                let name = gate_step(&step.id, number);
                if !drive.asked.insert(name.clone()) {
                    continue;
                }
                let (mol_id, step_id) = (molecule.id.clone(), step.id.clone());
                let gate = u32::try_from(number).unwrap_or(u32::MAX);
                let scope = MolScope(molecule);
                let started = machine.start(&scope, &name, None, options.stop.clone());
                let started = self.holding(running, options, started).await;
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
                        self.decide(|draft| {
                            draft.emit(MolGateOpened {
                                mol_id: mol_id.clone(),
                                step_id: step_id.clone(),
                                gate,
                                reason: Some("its program ended with 0".to_owned()),
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
