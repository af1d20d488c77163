//! Operations for agents: claim a step, complete, fail, skip or hand it off, and so on.
//!
//! Most of these need the [`StepProof`] that an agent got with the claim. Its token shows that the
//! claim is still the agent's own: if the lease ran out and someone else claimed the step, the
//! operation is refused.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_ledger::event::{MailSent, MolPushedBack, MolStepFailed};
use windlass_ledger::{
    Claim, Draft, HookKind, LedgerError, LedgerSession, Message, MessageType, StepProof, message,
    put_on_hook,
};
use windlass_packs::context::EdgePayload;

use crate::Molecules;
use crate::drains::Drains;
use crate::fan_out::ChildMolecules;
use crate::molecule_reports::ReadyStep;
use crate::molecule_service::MoleculeService;
use crate::step_packs::payloads_from;
use crate::step_report::StepReport;
use windlass_site::Error;

/// The result of completing a step.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Completion {
    /// The molecule's ID.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// False if the step failed its check or its output was rejected.
    pub completed: bool,
    /// The reason why the step is not completed, e.g. an output that does not match the step's
    /// schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The molecule's outcome, if this was the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<windlass_plan::Outcome>,
    /// Claimable steps of the molecule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<ReadyStep>,
    /// The payloads for the steps that depend on this one. There is only a payload for an edge if
    /// either of its steps has a context pack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payloads: Vec<EdgePayload>,
    /// The step that was claimed next, if the caller asked for one and there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<StepReport>,
}

/// Operations on the steps of an open ledger.
#[derive(Debug)]
pub struct StepWork<'a> {
    pub(crate) molecules: Molecules<'a>,
}

impl MoleculeService {
    /// Returns the operations on the steps in `session`. All changes go through the session.
    #[must_use]
    pub fn steps<'a>(&'a self, session: &'a mut LedgerSession) -> StepWork<'a> {
        StepWork {
            molecules: self.on(session),
        }
    }
}

impl Molecules<'_> {
    /// Borrows the molecules to work on their steps.
    #[must_use]
    pub fn steps(&mut self) -> StepWork<'_> {
        StepWork {
            molecules: self.reborrowed(),
        }
    }
}

impl StepWork<'_> {
    /// Claims a step, and builds a context pack if `with_pack` is set or the step requests one.
    ///
    /// If several actors try to claim the same step at the same time, exactly one of them succeeds.
    ///
    /// # Errors
    /// Returns an error if another actor has claimed the step, the step cannot start, or no step is
    /// ready.
    pub fn claim(&mut self, claim: &Claim, with_pack: bool) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.molecules.note_clock(claim.mol.as_deref())?;
        let is_idle = |error: &LedgerError| matches!(error, LedgerError::NoStepReady { .. });
        let claimed = match self.decide(|draft| draft.claim(claim, &world)) {
            // A gate or a skip may have made a drain ready, and performing the drain may create
            // ready steps.
            Err(error) if error.is(is_idle) => match self.drain(claim.mol.as_deref())? {
                true => self.decide(|draft| draft.claim(claim, &world))?,
                false => return Err(error),
            },
            claimed => claimed?,
        };
        self.claimed(&claimed.proof, with_pack)
    }

    /// Performs the drains that are ready, in all open molecules or only in `mol`. Returns true if
    /// there were any.
    fn drain(&mut self, mol: Option<&str>) -> Result<bool, Error> {
        let mut any = false;
        for mol in self.molecules.open(mol)? {
            any |= !Drains(&mut self.molecules).perform(&mol)?.is_empty();
        }
        Ok(any)
    }

    fn decide<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide(work)
    }

    /// Extends the lease of a claim. Agents call this as a heartbeat during long work.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn prolong(
        &mut self,
        proof: &StepProof,
        lease_ms: Option<u64>,
    ) -> Result<StepReport, Error> {
        self.decide(|draft| draft.prolong(proof, lease_ms))?;
        self.molecules.step(&proof.mol, &proof.step)
    }

    /// Releases a claim. The step is ready again, and the attempt does not count towards its
    /// retries.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn release(
        &mut self,
        proof: &StepProof,
        reason: Option<&str>,
    ) -> Result<StepReport, Error> {
        self.decide(|draft| draft.release(proof, reason))?;
        self.molecules.step(&proof.mol, &proof.step)
    }

    /// Releases a claim without its token, e.g. after an agent has crashed.
    ///
    /// Unlike [`release`](Self::release), this is open to any actor. The reason is therefore
    /// recorded, and if the claim belongs to another actor, we send them a message. The attempt
    /// does not count.
    ///
    /// # Errors
    /// Returns an error if the step is not claimed or `reason` is empty.
    pub fn release_held(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
    ) -> Result<StepReport, Error> {
        let mol = self.molecules.id(Some(mol))?;
        let actor = self.molecules.session.actor()?.to_owned();
        self.decide(|draft| {
            let Some(holder) = draft.release_held(&mol, step, reason)? else {
                return Ok(());
            };
            let mail = MailSent {
                to: holder,
                subject: format!("{actor} released your claim on {step} of {mol}"),
                body: reason.to_owned(),
                ..MailSent::default()
            };
            draft.send(mail).map(drop)
        })?;
        self.molecules.step(&mol, step)
    }

    /// Releases all claims of the caller, in all molecules.
    ///
    /// # Errors
    /// Returns an error if the caller does not have an actor name, or if a claim cannot be
    /// released. The claims that were released before the error stay released.
    pub fn release_all(&mut self, reason: Option<&str>) -> Result<Vec<StepReport>, Error> {
        let mut released = Vec::new();
        for step in self.molecules.current_steps(None)? {
            let proof = StepProof {
                mol: step.mol_id,
                step: step.step_id,
                token: step.token.unwrap_or_default(),
            };
            released.push(self.release(&proof, reason)?);
        }
        Ok(released)
    }

    /// Completes a step with its output.
    ///
    /// With `claim_next`, this also claims the molecule's next step. The criteria are not evaluated
    /// here; use [`Verifier::complete`](crate::Verifier::complete) if the step may have any.
    ///
    /// # Errors
    /// Returns an error if the claim has ended, or the children of a fan-out cannot be made.
    pub fn complete(
        &mut self,
        proof: &StepProof,
        output: &Value,
        claim_next: bool,
    ) -> Result<Completion, Error> {
        let world = self.molecules.session.world();
        let children = ChildMolecules::of(&self.molecules, &proof.mol, &proof.step, output)?;
        let (completed, next) = self.decide(|draft| {
            let children = children.with_ids(draft);
            let completed = draft.complete(proof, output.clone(), children, &world)?;
            if !claim_next {
                return Ok((completed, None));
            }
            let claim = Claim {
                mol: Some(proof.mol.clone()),
                ..Claim::default()
            };
            match draft.claim(&claim, &world) {
                Ok(claimed) => Ok((completed, Some(claimed))),
                // The completion matters more than the next claim, so having nothing to claim isn't
                // an error.
                Err(LedgerError::NoStepReady { .. }) => Ok((completed, None)),
                Err(error) => Err(error),
            }
        })?;
        Drains(&mut self.molecules).perform(&proof.mol)?;
        let next = next
            .map(|claimed| self.claimed(&claimed.proof, false))
            .transpose()?;
        let step = self.molecules.step(&proof.mol, &proof.step)?;
        let molecule = self.molecules.get(Some(&proof.mol), None)?;
        let payloads = match self.molecules.formula_of(&proof.mol) {
            Ok(cooked) if completed => payloads_from(&molecule, &cooked, &proof.step),
            _ => Vec::new(),
        };
        Ok(Completion {
            payloads,
            mol_id: proof.mol.clone(),
            step_id: proof.step.clone(),
            completed,
            reason: step.reason,
            outcome: molecule.outcome,
            ready: match molecule.outcome {
                None => self.molecules.ready(Some(&proof.mol), true)?.steps,
                Some(_) => Vec::new(),
            },
            next,
        })
    }

    /// Reports a failed attempt. If `for_good` is set, it is the last one; otherwise, the step's
    /// retry policy decides.
    ///
    /// # Errors
    /// Returns an error if the claim has ended.
    pub fn fail(
        &mut self,
        proof: &StepProof,
        reason: &str,
        for_good: bool,
        output: Value,
    ) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        let failed = MolStepFailed {
            reason: reason.to_owned(),
            for_good,
            output,
            ..MolStepFailed::default()
        };
        self.decide(|draft| draft.fail(proof, failed.clone(), &world))?;
        self.molecules.step(&proof.mol, &proof.step)
    }

    /// Skips a step. The steps that depend on it then wait for the steps that it was waiting for.
    ///
    /// # Errors
    /// Returns an error if the step has ended or another actor is working on it.
    pub fn skip(&mut self, mol: &str, step: &str, reason: &str) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.decide(|draft| draft.skip(mol, step, reason, &world))?;
        self.molecules.step(mol, step)
    }

    /// Pushes the work back to a step that has ended, e.g. because a review found a problem in its
    /// result. The step is repeated, and so are all steps that depend on it.
    ///
    /// # Errors
    /// Returns an error if the step has not ended.
    pub fn push_back(
        &mut self,
        mol: &str,
        step: &str,
        from: Option<&str>,
        reason: &str,
    ) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.decide(|draft| {
            let molecule = draft.molecule(mol)?;
            for named in [Some(step), from].into_iter().flatten() {
                if molecule.find(named).is_none() {
                    return Err(LedgerError::no_step(&molecule, named));
                }
            }
            draft.emit(MolPushedBack {
                mol_id: mol.to_owned(),
                step_id: step.to_owned(),
                from_step: from.map(str::to_owned),
                reason: reason.to_owned(),
            })?;
            draft.settle(mol, &world)
        })?;
        self.molecules.step(mol, step)
    }

    /// Hands a step off to the actor's next session.
    ///
    /// This sends the actor a message, puts the molecule on the actor's hook, and extends the
    /// claim. The message contains the claim's token, so the next session can go on without
    /// claiming the step again.
    ///
    /// # Errors
    /// Returns an error if the claim has ended, or the hook is occupied and `replace` is not set.
    pub fn hand_off(
        &mut self,
        proof: &StepProof,
        body: &str,
        lease_ms: Option<u64>,
        replace: bool,
    ) -> Result<Message, Error> {
        let actor = self.molecules.session.actor()?.to_owned();
        self.decide(|draft| {
            draft.prolong(proof, lease_ms)?;
            let mut metadata = Map::new();
            for (name, value) in [
                ("mol_id", &proof.mol),
                ("step_id", &proof.step),
                ("token", &proof.token),
            ] {
                metadata.insert(name.to_owned(), value.clone().into());
            }
            let (id, sent) = draft.send(MailSent {
                to: actor.clone(),
                subject: format!("continue {} of {}", proof.step, proof.mol),
                body: body.to_owned(),
                message_type: Some(MessageType::Handoff.to_string()),
                metadata,
                ..MailSent::default()
            })?;
            let on_hook = (HookKind::Mol, proof.mol.as_str());
            put_on_hook(draft, &actor, on_hook, replace, Some(&sent))?;
            message(draft.state(), &id)
        })
    }

    fn claimed(&mut self, claim: &StepProof, wanted: bool) -> Result<StepReport, Error> {
        let pack = self.give_pack(claim, wanted);
        let state = self.molecules.session.state();
        let gone = || Error::internal(format!("`{}` no longer exists", claim.mol));
        let molecule = state.molecule(&claim.mol).ok_or_else(gone)?;
        let at = molecule.find(&claim.step).ok_or_else(gone)?.index();
        let mut report = self.molecules.report_of(&molecule, at);
        report.pack = pack.or(report.pack);
        Ok(report)
    }
}
