//! What somebody does with a molecule: each decided under the lock of the log, with the state as it is then.

use serde::Serialize;
use serde_json::Value;
use windlass_plan::Status;

use super::{Doer, MolView, Molecule, World};
use crate::event::{
    MolCreated, MolStepCompleted, MolStepFailed, MolStepHeartbeat, MolStepPacked, MolStepReleased,
    MolStepSkipped, MolStepStarted,
};
use crate::{Draft, LedgerError, Stamp};

/// Which step somebody wants.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claim<'a> {
    /// Of this molecule; of any if none is named.
    pub mol: Option<&'a str>,
    /// This step; the most important that is ready if none is named.
    pub step: Option<&'a str>,
    /// How long it holds without a heartbeat, in milliseconds; as the molecule says if not given.
    pub lease_ms: Option<u64>,
    /// Whether the machine asks: it gets its own steps, and nobody else gets them.
    pub machine: bool,
}

/// A step that somebody has from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimedStep {
    /// Its molecule.
    pub mol_id: String,
    /// Its name.
    pub step_id: String,
    /// What proves the claim.
    pub token: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// Until when the claim holds without a heartbeat.
    pub lease_until: Stamp,
}

/// A claim that somebody shows.
#[derive(Debug, Clone, Copy)]
pub struct StepProof<'a> {
    /// The molecule.
    pub mol: &'a str,
    /// The step.
    pub step: &'a str,
    /// What proves it.
    pub token: &'a str,
}

impl<'w> Draft<'w> {
    /// A molecule as it is now.
    ///
    /// # Errors
    /// When there is none.
    pub fn molecule(&self, id: &str) -> Result<Molecule, LedgerError> {
        let missing = || {
            let known = self.state().molecules.iter().map(|(id, _)| id);
            let near = windlass_base::did_you_mean(id, known).map(str::to_owned);
            LedgerError::Missing {
                what: "molecule",
                id: id.to_owned(),
                near,
            }
        };
        self.state().molecules.get(id).ok_or_else(missing)
    }

    /// What is decided about the steps of molecules.
    pub fn steps(&mut self) -> StepDraft<'_, 'w> {
        StepDraft { draft: self }
    }
}

/// What is decided about the steps of molecules: who has them, and how they end.
pub struct StepDraft<'d, 'w> {
    draft: &'d mut Draft<'w>,
}

impl StepDraft<'_, '_> {
    fn step(&self, mol: &str, step: &str) -> Result<(Molecule, usize), LedgerError> {
        let molecule = self.draft.molecule(mol)?;
        let Some(at) = molecule.find(step) else {
            let known = molecule.steps.iter().map(|step| step.id.as_str());
            let near = windlass_base::did_you_mean(step, known).map(str::to_owned);
            return Err(LedgerError::Missing {
                what: "step",
                id: step.to_owned(),
                near,
            });
        };
        Ok((molecule, at.index()))
    }

    /// Takes a step for oneself. Of all who ask at once for one step, one gets it.
    ///
    /// # Errors
    /// When somebody else has it, it cannot be begun, or nothing is ready.
    pub fn claim(
        &mut self,
        claim: &Claim<'_>,
        world: &dyn World,
    ) -> Result<ClaimedStep, LedgerError> {
        let (mol, step) = match (claim.mol, claim.step) {
            (Some(mol), Some(step)) => {
                self.draft.molecule(mol)?;
                self.draft.settle(mol, world)?;
                let (molecule, at) = self.step(mol, step)?;
                if !molecule.steps[at].is_startable() {
                    self.check_asked(mol, world)?;
                }
                (mol.to_owned(), step.to_owned())
            }
            (Some(mol), None) => {
                self.draft.molecule(mol)?;
                self.draft.settle(mol, world)?;
                let found = self.next_step(mol, claim);
                if found.is_none() {
                    self.check_asked(mol, world)?;
                }
                let none = || LedgerError::NoStepReady {
                    mol: Some(mol.to_owned()),
                    for_others: self.ready_for_others(mol, claim),
                };
                (mol.to_owned(), found.ok_or_else(none)?)
            }
            (None, _) => self.next_anywhere(claim, world)?,
        };
        let (molecule, at) = self.step(&mol, &step)?;
        let lease_ms = claim.lease_ms.unwrap_or(molecule.lease_ms);
        let token = self.draft.token(molecule.steps[at].attempt + 1);
        let lease_until = self.lease_until(lease_ms);
        self.draft.emit(MolStepStarted {
            mol_id: mol.clone(),
            step_id: step.clone(),
            assignee: None,
            token: Some(token.clone()),
            lease_until: Some(lease_until),
        })?;
        let attempt = self.step(&mol, &step)?;
        Ok(ClaimedStep {
            attempt: attempt.0.steps[attempt.1].attempt,
            mol_id: mol,
            step_id: step,
            token,
            lease_until,
        })
    }

    /// Refuses to go on where a step waits for a variable that its formula is not trusted to ask for.
    fn check_asked(&self, mol: &str, world: &dyn World) -> Result<(), LedgerError> {
        match self.draft.state().denied_variable(mol, world) {
            Some(variable) => Err(LedgerError::Untrusted {
                mol: mol.to_owned(),
                variable,
            }),
            None => Ok(()),
        }
    }

    fn lease_until(&self, lease_ms: u64) -> Stamp {
        let micros = i64::try_from(lease_ms).unwrap_or(i64::MAX / 2_000) * 1000;
        Stamp::from_micros(self.draft.now().micros().saturating_add(micros)).to_millis()
    }

    /// The oldest molecule that has something to do, and the step.
    fn next_anywhere(
        &mut self,
        claim: &Claim<'_>,
        world: &dyn World,
    ) -> Result<(String, String), LedgerError> {
        let mut open: Vec<(i64, String)> = self
            .draft
            .state()
            .molecules
            .iter()
            .filter_map(|(id, found)| {
                let head = found.head().filter(super::MolHead::is_open)?;
                Some((head.created, id.to_owned()))
            })
            .collect();
        open.sort();
        let mut for_others = 0;
        for (_, mol) in open {
            self.draft.settle(&mol, world)?;
            if let Some(step) = self.next_step(&mol, claim) {
                return Ok((mol, step));
            }
            for_others += self.ready_for_others(&mol, claim);
        }
        let mol = None;
        Err(LedgerError::NoStepReady { mol, for_others })
    }

    /// How many steps of agents could be begun that are meant for somebody else.
    fn ready_for_others(&self, mol: &str, claim: &Claim<'_>) -> usize {
        let Some(molecule) = self.draft.state().molecule(mol).filter(|_| !claim.machine) else {
            return 0;
        };
        let steps = molecule.steps.iter();
        let ready = steps.filter(|step| step.doer == Doer::Agent && molecule.may_begin(step));
        ready
            .filter(|step| !step.is_for(self.draft.actor()))
            .count()
    }

    /// The most important step that can be begun and that is not meant for somebody else.
    fn next_step(&self, mol: &str, claim: &Claim<'_>) -> Option<String> {
        let molecule = self.draft.state().molecule(mol)?;
        let wanted = if claim.machine {
            Doer::Machine
        } else {
            Doer::Agent
        };
        let steps = molecule.steps.iter();
        let ready = steps.filter(|step| step.doer == wanted && molecule.may_begin(step));
        let mine = ready.filter(|step| claim.machine || step.is_for(self.draft.actor()));
        // Of equally important ones the first in the formula.
        let best = mine.min_by_key(|step| step.priority.unwrap_or(crate::bead::USUAL_PRIORITY));
        best.map(|step| step.id.clone())
    }

    /// Says that one is still at work; until when the claim holds now.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn prolong(
        &mut self,
        proof: StepProof<'_>,
        lease_ms: Option<u64>,
    ) -> Result<Stamp, LedgerError> {
        let (molecule, _) = self.step(proof.mol, proof.step)?;
        let lease_until = self.lease_until(lease_ms.unwrap_or(molecule.lease_ms));
        self.draft.emit(MolStepHeartbeat {
            mol_id: proof.mol.to_owned(),
            step_id: proof.step.to_owned(),
            token: proof.token.to_owned(),
            lease_until,
        })?;
        Ok(lease_until)
    }

    /// Notes which context pack whoever has a step was given.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn note_pack(&mut self, proof: StepProof<'_>, pack_id: &str) -> Result<(), LedgerError> {
        self.step(proof.mol, proof.step)?;
        self.draft.emit(MolStepPacked {
            mol_id: proof.mol.to_owned(),
            step_id: proof.step.to_owned(),
            token: proof.token.to_owned(),
            pack_id: pack_id.to_owned(),
        })?;
        Ok(())
    }

    /// Gives a step back.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn release(
        &mut self,
        proof: StepProof<'_>,
        reason: Option<&str>,
    ) -> Result<(), LedgerError> {
        self.step(proof.mol, proof.step)?;
        self.draft.emit(MolStepReleased {
            mol_id: proof.mol.to_owned(),
            step_id: proof.step.to_owned(),
            token: proof.token.to_owned(),
            holder: None,
            reason: reason.map(str::to_owned),
        })?;
        Ok(())
    }

    /// Gives back a step that anybody has, for a reason that is recorded; the holder, if that is somebody else.
    ///
    /// # Errors
    /// When nobody has it, or no reason is given.
    pub fn release_held(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
    ) -> Result<Option<String>, LedgerError> {
        if reason.trim().is_empty() {
            let message = "a step is released without its token for a reason: `--reason TEXT`";
            return Err(LedgerError::Invalid(message.to_owned()));
        }
        let (molecule, at) = self.step(mol, step)?;
        let found = &molecule.steps[at];
        let held = found.token.clone().zip(found.holder.clone());
        let Some((token, holder)) = held.filter(|_| found.status == Status::InProgress) else {
            let now = molecule.status_of(found).as_str();
            let reason = format!("nobody has `{step}` of `{mol}`: it is {now}");
            return self.draft.refuse(reason, Some(found.by.clone()));
        };
        let holder = Some(holder).filter(|holder| holder != self.draft.actor());
        self.draft.emit(MolStepReleased {
            mol_id: mol.to_owned(),
            step_id: step.to_owned(),
            token,
            holder: holder.clone(),
            reason: Some(reason.to_owned()),
        })?;
        Ok(holder)
    }

    /// Completes a step; whether it is completed. One that must give something else has failed. What was completed by
    /// the same claim with the same output is completed. `children` are made of its output, so that there is no moment
    /// without them.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn complete(
        &mut self,
        proof: StepProof<'_>,
        output: Value,
        children: Vec<MolCreated>,
        world: &dyn World,
    ) -> Result<bool, LedgerError> {
        let (molecule, at) = self.step(proof.mol, proof.step)?;
        let step = &molecule.steps[at];
        let is_said_again = step.status == Status::Completed
            && step.token.as_deref() == Some(proof.token)
            && step.output == output;
        if is_said_again {
            return Ok(true);
        }
        let (mol_id, step_id) = (proof.mol.to_owned(), proof.step.to_owned());
        let token = Some(proof.token.to_owned());
        let broken = self.must_hold(&molecule, at, &output, world)?;
        match broken {
            Some(reason) => {
                self.draft.emit(MolStepFailed {
                    mol_id,
                    step_id,
                    token,
                    reason,
                    for_good: true,
                    output,
                    due_at: None,
                })?;
                self.draft.settle(proof.mol, world)?;
                Ok(false)
            }
            None => {
                let completed = self.draft.emit(MolStepCompleted {
                    mol_id,
                    step_id,
                    status: "completed".to_owned(),
                    token,
                    output,
                })?;
                for child in children {
                    self.draft.emit_caused_by(child, Some(&completed))?;
                }
                self.draft.settle(proof.mol, world)?;
                Ok(true)
            }
        }
    }

    /// Why a step that gave `output` has failed all the same.
    fn must_hold(
        &self,
        molecule: &Molecule,
        at: usize,
        output: &Value,
        world: &dyn World,
    ) -> Result<Option<String>, LedgerError> {
        let plan = self.draft.state().plans.get(&molecule.id);
        let Some(cooked) = plan.and_then(|plan| plan.cooked()) else {
            return Ok(None);
        };
        let asked = cooked.steps.get(at);
        let Some(condition) = asked.and_then(|asked| asked.must_hold.as_ref()) else {
            return Ok(None);
        };
        let view = MolView {
            state: self.draft.state(),
            molecule,
            cooked: &cooked,
            world,
            supposed: Some((&molecule.steps[at].id, output)),
        };
        if let Some(variable) = view.denied(&condition.looks_at) {
            return Err(LedgerError::Untrusted {
                mol: molecule.id.clone(),
                variable: variable.to_owned(),
            });
        }
        let holds = view.holds(&condition.looks_at);
        Ok((!holds).then(|| super::settle::not_held(&condition.text)))
    }

    /// Says that an attempt failed; whether it may be tried again.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn fail(
        &mut self,
        proof: StepProof<'_>,
        failed: MolStepFailed,
        world: &dyn World,
    ) -> Result<bool, LedgerError> {
        self.step(proof.mol, proof.step)?;
        self.draft.emit(MolStepFailed {
            mol_id: proof.mol.to_owned(),
            step_id: proof.step.to_owned(),
            token: Some(proof.token.to_owned()),
            ..failed
        })?;
        self.draft.settle(proof.mol, world)?;
        let (molecule, at) = self.step(proof.mol, proof.step)?;
        Ok(molecule.steps[at].status != Status::Failed)
    }

    /// Leaves a step out: what needs it inherits what it needs.
    ///
    /// # Errors
    /// When it has ended, or somebody else has it.
    pub fn skip(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
        world: &dyn World,
    ) -> Result<(), LedgerError> {
        let (molecule, at) = self.step(mol, step)?;
        let found = &molecule.steps[at];
        let holder = found.holder.as_deref().unwrap_or_default();
        if found.status == Status::InProgress && holder != self.draft.actor() {
            let reason = format!("{holder} has `{step}` of `{mol}`, and works on it");
            return self.draft.refuse(reason, Some(found.by.clone()));
        }
        self.draft.emit(MolStepSkipped {
            mol_id: mol.to_owned(),
            step_id: step.to_owned(),
            reason: reason.to_owned(),
            by_condition: false,
        })?;
        self.draft.settle(mol, world)
    }
}
