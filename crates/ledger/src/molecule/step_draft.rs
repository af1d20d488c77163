//! Work on the steps of a molecule: each act is decided under the lock of the log, with the state as it is then.

use serde_json::Value;
use windlass_plan::Status;

use super::{Doer, Due, MolStep, Molecule, World};
use crate::bead::USUAL_PRIORITY;
use crate::event::{
    MolCreated, MolStepCompleted, MolStepFailed, MolStepHeartbeat, MolStepReleased, MolStepSkipped,
    MolStepStarted,
};
use crate::{Draft, LedgerError, Stamp};

/// The step that somebody wants.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// Of this molecule; of any that is open if none is named.
    pub mol: Option<String>,
    /// This step; the most important that is ready if none is named.
    pub step: Option<String>,
    /// How long it holds without a heartbeat, in milliseconds; as the molecule says if not given.
    pub lease_ms: Option<u64>,
    /// Whether the machine asks: it gets its own steps, and nobody else gets them.
    pub machine: bool,
}

impl Claim {
    /// True if it may get `step`, which can be begun, without naming it.
    fn fits(&self, step: &MolStep, actor: &str) -> bool {
        match self.machine {
            true => step.doer == Doer::Machine,
            false => step.doer == Doer::Agent && step.is_for(actor),
        }
    }

    /// The most important step that can be begun and that is not meant for somebody else.
    fn next(&self, molecule: &Molecule, actor: &str) -> Option<String> {
        let steps = molecule.steps.iter();
        let mine = steps.filter(|step| molecule.may_begin(step) && self.fits(step, actor));
        // Of equally important ones the first in the formula.
        let best = mine.min_by_key(|step| step.priority.unwrap_or(USUAL_PRIORITY));
        best.map(|step| step.id.clone())
    }

    /// How many steps of agents could be begun that are meant for somebody else.
    fn ready_for_others(&self, molecule: &Molecule, actor: &str) -> usize {
        let steps = molecule.steps.iter().filter(|_| !self.machine);
        let ready = steps.filter(|step| step.doer == Doer::Agent && molecule.may_begin(step));
        ready.filter(|step| !step.is_for(actor)).count()
    }
}

/// A step that somebody has from now on.
#[derive(Debug, Clone)]
pub struct ClaimedStep {
    /// The proof of the claim.
    pub proof: StepProof,
    /// The number of the attempt.
    pub attempt: u32,
}

/// A claim that somebody shows.
#[derive(Debug, Clone)]
pub struct StepProof {
    /// The molecule.
    pub mol: String,
    /// The step.
    pub step: String,
    /// The text that nobody else can know.
    pub token: String,
}

impl Draft<'_> {
    /// A molecule as it is now.
    ///
    /// # Errors
    /// When there is none.
    pub fn molecule(&self, id: &str) -> Result<Molecule, LedgerError> {
        let found = self.state().molecules.get(id);
        found.ok_or_else(|| LedgerError::no_molecule(self.state(), id))
    }

    /// A molecule, and the number of the step of it.
    fn step(&self, mol: &str, step: &str) -> Result<(Molecule, usize), LedgerError> {
        let molecule = self.molecule(mol)?;
        match molecule.find(step) {
            Some(at) => Ok((molecule, at.index())),
            None => Err(LedgerError::no_step(&molecule, step)),
        }
    }

    /// Takes a step for oneself. Of all who ask at once for one step, one gets it.
    ///
    /// # Errors
    /// When somebody else has it, it cannot be begun, or nothing is ready.
    pub fn claim(&mut self, claim: &Claim, world: &dyn World) -> Result<ClaimedStep, LedgerError> {
        let (mol, step) = self.wanted(claim, world)?;
        let (molecule, at) = self.step(&mol, &step)?;
        let lease_ms = claim.lease_ms.unwrap_or(molecule.lease_ms);
        let token = self.ids().token(molecule.steps[at].attempt + 1);
        self.emit(MolStepStarted {
            mol_id: mol.clone(),
            step_id: step.clone(),
            assignee: None,
            token: Some(token.clone()),
            lease_until: Some(self.lease_until(lease_ms)),
        })?;
        let (molecule, at) = self.step(&mol, &step)?;
        Ok(ClaimedStep {
            attempt: molecule.steps[at].attempt,
            proof: StepProof { mol, step, token },
        })
    }

    /// The step that is claimed, by molecule and name, once all that is due has happened.
    fn wanted(
        &mut self,
        claim: &Claim,
        world: &dyn World,
    ) -> Result<(String, String), LedgerError> {
        let Some(mol) = &claim.mol else {
            return self.wanted_anywhere(claim, world);
        };
        self.molecule(mol)?;
        self.settle(mol, world)?;
        let due = Due::of(self.state(), world);
        if let Some(step) = &claim.step {
            let (molecule, at) = self.step(mol, step)?;
            if !molecule.steps[at].is_startable() {
                due.check_asked(mol)?;
            }
            return Ok((mol.clone(), step.clone()));
        }
        let molecule = self.molecule(mol)?;
        if let Some(step) = claim.next(&molecule, self.actor()) {
            return Ok((mol.clone(), step));
        }
        due.check_asked(mol)?;
        Err(LedgerError::NoStepReady {
            mol: Some(mol.clone()),
            for_others: claim.ready_for_others(&molecule, self.actor()),
        })
    }

    /// The oldest molecule that has something to do, and the step.
    fn wanted_anywhere(
        &mut self,
        claim: &Claim,
        world: &dyn World,
    ) -> Result<(String, String), LedgerError> {
        let mut for_others = 0;
        for mol in self.state().molecules.open() {
            self.settle(&mol, world)?;
            let Some(molecule) = self.state().molecule(&mol) else {
                continue;
            };
            if let Some(step) = claim.next(&molecule, self.actor()) {
                return Ok((mol, step));
            }
            for_others += claim.ready_for_others(&molecule, self.actor());
        }
        let mol = None;
        Err(LedgerError::NoStepReady { mol, for_others })
    }

    fn lease_until(&self, lease_ms: u64) -> Stamp {
        self.now().after_millis(lease_ms).to_millis()
    }

    /// Says that one is still at work; until when the claim holds now.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn prolong(
        &mut self,
        proof: &StepProof,
        lease_ms: Option<u64>,
    ) -> Result<Stamp, LedgerError> {
        let (molecule, _) = self.step(&proof.mol, &proof.step)?;
        let lease_until = self.lease_until(lease_ms.unwrap_or(molecule.lease_ms));
        self.emit(MolStepHeartbeat {
            mol_id: proof.mol.clone(),
            step_id: proof.step.clone(),
            token: proof.token.clone(),
            lease_until,
        })?;
        Ok(lease_until)
    }

    /// Gives a step back.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn release(&mut self, proof: &StepProof, reason: Option<&str>) -> Result<(), LedgerError> {
        self.step(&proof.mol, &proof.step)?;
        self.emit(MolStepReleased {
            mol_id: proof.mol.clone(),
            step_id: proof.step.clone(),
            token: proof.token.clone(),
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
            return self.refuse(reason, Some(found.by.clone()));
        };
        let holder = Some(holder).filter(|holder| holder != self.actor());
        self.emit(MolStepReleased {
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
        proof: &StepProof,
        output: Value,
        children: Vec<MolCreated>,
        world: &dyn World,
    ) -> Result<bool, LedgerError> {
        let (molecule, at) = self.step(&proof.mol, &proof.step)?;
        let step = &molecule.steps[at];
        let is_said_again = step.status == Status::Completed
            && step.token.as_ref() == Some(&proof.token)
            && step.output == output;
        if is_said_again {
            return Ok(true);
        }
        let (mol_id, step_id) = (proof.mol.clone(), proof.step.clone());
        let token = Some(proof.token.clone());
        let broken = Due::of(self.state(), world).broken(&molecule, at, &output)?;
        match broken {
            Some(reason) => {
                self.emit(MolStepFailed {
                    mol_id,
                    step_id,
                    token,
                    reason,
                    for_good: true,
                    output,
                    due_at: None,
                })?;
                self.settle(&proof.mol, world)?;
                Ok(false)
            }
            None => {
                let completed = self.emit(MolStepCompleted {
                    mol_id,
                    step_id,
                    status: "completed".to_owned(),
                    token,
                    output,
                })?;
                for child in children {
                    self.emit_caused_by(child, Some(&completed))?;
                }
                self.settle(&proof.mol, world)?;
                Ok(true)
            }
        }
    }

    /// Says that an attempt failed; whether it may be tried again.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn fail(
        &mut self,
        proof: &StepProof,
        failed: MolStepFailed,
        world: &dyn World,
    ) -> Result<bool, LedgerError> {
        self.step(&proof.mol, &proof.step)?;
        self.emit(MolStepFailed {
            mol_id: proof.mol.clone(),
            step_id: proof.step.clone(),
            token: Some(proof.token.clone()),
            ..failed
        })?;
        self.settle(&proof.mol, world)?;
        let (molecule, at) = self.step(&proof.mol, &proof.step)?;
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
        if found.status == Status::InProgress && holder != self.actor() {
            let reason = format!("{holder} has `{step}` of `{mol}`, and works on it");
            return self.refuse(reason, Some(found.by.clone()));
        }
        self.emit(MolStepSkipped {
            mol_id: mol.to_owned(),
            step_id: step.to_owned(),
            reason: reason.to_owned(),
            by_condition: false,
        })?;
        self.settle(mol, world)
    }
}
