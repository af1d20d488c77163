//! Operations on the steps of a molecule, from claiming a step to completing it.
//!
//! All of them run on a draft, so we decide under the log's lock and no other process can
//! interfere. Operations that may let other steps start call [`Draft::settle`] at the end, so that
//! the events this causes are part of the same write.

use std::borrow::Cow;

use serde_json::Value;
use windlass_plan::Status;

use super::{Doer, Due, MolStep, Molecule, World, startable};
use crate::bead::USUAL_PRIORITY;
use crate::event::{
    MolCreated, MolStepCompleted, MolStepFailed, MolStepHeartbeat, MolStepReleased, MolStepSkipped,
    MolStepStarted,
};
use crate::state::State;
use crate::{Draft, LedgerError, Stamp};

/// Request to claim a step for the draft's actor.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// The molecule to claim from. If it is `None`, we take the oldest one that has a step for the
    /// actor.
    pub mol: Option<String>,
    /// The step to claim. If it is `None`, we take the ready step with the highest priority.
    pub step: Option<String>,
    /// Lease without a heartbeat, in milliseconds. The molecule's setting is the default.
    pub lease_ms: Option<u64>,
    /// True if the machine itself claims. A claim that names no step then only gets machine steps,
    /// and otherwise never gets those.
    pub machine: bool,
}

impl Claim {
    fn fits(&self, step: &MolStep, actor: &str) -> bool {
        match self.machine {
            true => step.doer == Doer::Machine,
            false => step.doer == Doer::Agent && step.is_for(actor),
        }
    }

    /// Picks the startable step with the highest priority, leaving out those that are for another
    /// actor.
    fn next(&self, molecule: &Molecule, actor: &str) -> Option<String> {
        let mine = startable(molecule).filter(|step| self.fits(step, actor));
        // On a tie, the first step in the formula wins.
        let best = mine.min_by_key(|step| step.priority.unwrap_or(USUAL_PRIORITY));
        best.map(|step| step.id.clone())
    }

    fn held(&self, molecule: &Molecule, actor: &str) -> Option<(String, String)> {
        let mut steps = molecule.steps.iter().filter(|_| !self.machine);
        let step = steps.find(|step| step.is_held_by(actor))?;
        Some((molecule.id.clone(), step.id.clone()))
    }

    /// Counts the startable agent steps that are for other actors.
    fn ready_for_others(&self, molecule: &Molecule, actor: &str) -> usize {
        let steps = startable(molecule).filter(|_| !self.machine);
        let ready = steps.filter(|step| step.doer == Doer::Agent);
        ready.filter(|step| !step.is_for(actor)).count()
    }
}

/// A step that the actor now holds.
#[derive(Debug, Clone)]
pub struct ClaimedStep {
    /// Needed for all later operations on the step.
    pub proof: StepProof,
    /// Number of the attempt.
    pub attempt: u32,
    /// Number of push-backs before the claim.
    pub generation: u32,
    /// The claim's position in the order of all events, in microseconds. It grows with every claim
    /// of the step, so another system can use it to turn away an outdated holder.
    pub fence: i64,
}

/// Proof of a claim. The holder needs it to change the claimed step.
#[derive(Debug, Clone)]
pub struct StepProof {
    /// The molecule's id.
    pub mol: String,
    /// The step's id.
    pub step: String,
    /// Secret that only the holder knows.
    pub token: String,
}

impl Draft<'_> {
    /// Looks up a molecule.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist.
    pub fn molecule(&self, id: &str) -> Result<Molecule, LedgerError> {
        known(self.state(), id).map(Cow::into_owned)
    }

    /// Looks up a molecule and the index of one of its steps. If there is no such step, the error
    /// suggests a similar id.
    fn step(&self, mol: &str, step: &str) -> Result<(Cow<'_, Molecule>, usize), LedgerError> {
        let molecule = known(self.state(), mol)?;
        match molecule.find(step) {
            Some(at) => Ok((molecule, at.index())),
            None => Err(LedgerError::no_step(&molecule, step)),
        }
    }

    /// Claims a step for the actor. If several actors try at the same time, exactly one succeeds.
    ///
    /// # Errors
    /// Returns an error if another actor has claimed the step, it cannot start, or no step is
    /// ready.
    pub fn claim(&mut self, claim: &Claim, world: &dyn World) -> Result<ClaimedStep, LedgerError> {
        let (mol, step) = self.wanted(claim, world)?;
        let (molecule, at) = self.step(&mol, &step)?;
        let lease_ms = claim.lease_ms.unwrap_or(molecule.lease_ms);
        let attempt = molecule.steps[at].attempt + 1;
        drop(molecule);
        let token = self.ids().token(attempt);
        self.emit(MolStepStarted {
            mol_id: mol.clone(),
            step_id: step.clone(),
            assignee: None,
            token: Some(token.clone()),
            lease_until: Some(self.lease_until(lease_ms)),
        })?;
        // Look at the step again, since the claim has changed the molecule.
        let (molecule, at) = self.step(&mol, &step)?;
        let attempt = molecule.steps[at].attempt;
        let generation = molecule.steps[at].generation;
        let fence = molecule.changed.micros();
        drop(molecule);
        Ok(ClaimedStep {
            attempt,
            generation,
            fence,
            proof: StepProof { mol, step, token },
        })
    }

    /// Emits all due events, because they may make a step ready, then picks the molecule and step
    /// to claim.
    fn wanted(
        &mut self,
        claim: &Claim,
        world: &dyn World,
    ) -> Result<(String, String), LedgerError> {
        let Some(mol) = &claim.mol else {
            return self.oldest_claimable(claim, world);
        };
        known(self.state(), mol)?;
        self.settle(mol, world)?;
        let due = Due::of(self.state(), world);
        if let Some(step) = &claim.step {
            let (molecule, at) = self.step(mol, step)?;
            let found = &molecule.steps[at];
            // If the step is held back by a condition that we can't evaluate, tell the user about
            // that. Otherwise, the claim is refused below with a reason of its own.
            if !found.is_startable() {
                due.check_asked(mol)?;
            } else if !claim.machine {
                check_target(mol, found, self.actor())?;
            }
            return Ok((mol.clone(), step.clone()));
        }
        let molecule = known(self.state(), mol)?;
        if let Some(step) = claim.next(&molecule, self.actor()) {
            return Ok((mol.clone(), step));
        }
        due.check_asked(mol)?;
        Err(LedgerError::NoStepReady {
            mol: Some(mol.clone()),
            for_others: claim.ready_for_others(&molecule, self.actor()),
            held: claim.held(&molecule, self.actor()),
        })
    }

    fn oldest_claimable(
        &mut self,
        claim: &Claim,
        world: &dyn World,
    ) -> Result<(String, String), LedgerError> {
        let open = self.state().molecules.open();
        if open.is_empty() {
            return Err(LedgerError::NoOpenMolecule);
        }
        let (mut for_others, mut held) = (0, None);
        for mol in open {
            self.settle(&mol, world)?;
            let Some(molecule) = self.state().molecule(&mol) else {
                continue;
            };
            if let Some(step) = claim.next(&molecule, self.actor()) {
                return Ok((mol, step));
            }
            for_others += claim.ready_for_others(&molecule, self.actor());
            held = held.or_else(|| claim.held(&molecule, self.actor()));
        }
        Err(LedgerError::NoStepReady {
            mol: None,
            for_others,
            held,
        })
    }

    fn lease_until(&self, lease_ms: u64) -> Stamp {
        self.now().after_millis(lease_ms).to_millis()
    }

    /// Extends the lease of a claim. Returns its new end.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn prolong(
        &mut self,
        proof: &StepProof,
        lease_ms: Option<u64>,
    ) -> Result<Stamp, LedgerError> {
        let (molecule, _) = self.step(&proof.mol, &proof.step)?;
        let lease_until = self.lease_until(lease_ms.unwrap_or(molecule.lease_ms));
        drop(molecule);
        self.emit(MolStepHeartbeat {
            mol_id: proof.mol.clone(),
            step_id: proof.step.clone(),
            token: proof.token.clone(),
            lease_until,
        })?;
        Ok(lease_until)
    }

    /// Gives a claimed step back so that other actors can claim it.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn release(&mut self, proof: &StepProof, reason: Option<&str>) -> Result<(), LedgerError> {
        // This only makes sure that the step exists. The state refuses the event if the token is
        // wrong.
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

    /// Releases a step without its token, for example if its holder is gone.
    ///
    /// Unlike [`Self::release`], this works on any actor's claim, but needs a `reason` to record.
    /// If another actor held the step, we return its name.
    ///
    /// # Errors
    /// Returns an error if the step is not claimed, or `reason` is empty.
    pub fn release_held(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
    ) -> Result<Option<String>, LedgerError> {
        if reason.trim().is_empty() {
            let message = "a release without a token needs a reason: pass `--reason TEXT`";
            return Err(LedgerError::Invalid(message.to_owned()));
        }
        let (molecule, at) = self.step(mol, step)?;
        let found = &molecule.steps[at];
        let held = found.token.clone().zip(found.holder.clone());
        let Some((token, holder)) = held.filter(|_| found.status == Status::InProgress) else {
            let now = molecule.status_of(found).as_str();
            let reason = format!("`{step}` of `{mol}` is not claimed: it is {now}");
            return self.refuse(reason, Some(found.by.clone()));
        };
        drop(molecule);
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

    /// Completes a step, and creates `children` from its output in the same write.
    ///
    /// If a condition on the output does not hold, the step fails instead, and we return false. A
    /// caller that did not get our answer can repeat the call: with the same claim and output, this
    /// changes nothing.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn complete(
        &mut self,
        proof: &StepProof,
        output: Value,
        children: Vec<MolCreated>,
        world: &dyn World,
    ) -> Result<bool, LedgerError> {
        let (molecule, at) = self.step(&proof.mol, &proof.step)?;
        let step = &molecule.steps[at];
        let is_repeated = step.status == Status::Completed
            && step.token.as_ref() == Some(&proof.token)
            && step.output.is(&output);
        if is_repeated {
            return Ok(true);
        }
        let (mol_id, step_id) = (proof.mol.clone(), proof.step.clone());
        let token = Some(proof.token.clone());
        let broken = Due::of(self.state(), world).broken(&molecule, at, &output)?;
        drop(molecule);
        match broken {
            Some(reason) => {
                self.emit(MolStepFailed {
                    mol_id,
                    step_id,
                    token,
                    reason,
                    // The condition belongs to the last iteration of a loop, and there's no further
                    // one.
                    for_good: true,
                    output,
                    ..MolStepFailed::default()
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
                    stored_output: None,
                })?;
                for child in children {
                    self.emit_caused_by(child, Some(&completed))?;
                }
                self.settle(&proof.mol, world)?;
                Ok(true)
            }
        }
    }

    /// Reports that an attempt failed. Returns true if the step may be tried again.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
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

    /// Skips a step. Steps that depend on it then depend on its needs instead.
    ///
    /// # Errors
    /// Returns an error if the step has ended, or another actor has claimed it.
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
            let reason = format!("`{step}` of `{mol}` is in progress: {holder} has claimed it");
            return self.refuse(reason, Some(found.by.clone()));
        }
        drop(molecule);
        self.emit(MolStepSkipped {
            mol_id: mol.to_owned(),
            step_id: step.to_owned(),
            reason: reason.to_owned(),
            by_condition: false,
        })?;
        self.settle(mol, world)
    }
}

fn known<'a>(state: &'a State, id: &str) -> Result<Cow<'a, Molecule>, LedgerError> {
    let found = state.molecule(id);
    found.ok_or_else(|| LedgerError::no_molecule(state, id))
}

fn check_target(mol: &str, step: &MolStep, actor: &str) -> Result<(), LedgerError> {
    match &step.target {
        Some(target) if !step.may_be_claimed_by(actor) => Err(LedgerError::OtherTarget {
            mol: mol.to_owned(),
            step: step.id.clone(),
            target: target.clone(),
            actor: actor.to_owned(),
        }),
        _ => Ok(()),
    }
}
