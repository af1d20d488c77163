//! What agents do with the steps of a molecule.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_base::did_you_mean;
use windlass_context::EdgePayload;
use windlass_ledger::event::{HookSet, MailDelivered, MailSent, MolPushedBack, MolStepFailed};
use windlass_ledger::{Claim, HookKind, LedgerError, Message, MessageType, Molecule, StepProof};

use super::super::LedgerDesk;
use super::super::mail::message;
use super::packs::payloads_from;
use super::{ReadyStep, StepReport};
use crate::Error;

/// Which step somebody wants.
#[derive(Debug, Clone, Default)]
pub struct ClaimRequest {
    /// Of this molecule; of any that is open if none is named.
    pub mol: Option<String>,
    /// This step; the most important that is ready if none is named.
    pub step: Option<String>,
    /// How long it holds without a heartbeat, in milliseconds.
    pub lease_ms: Option<u64>,
    /// Whether a context pack is given with it, also where the step names none.
    pub pack: bool,
}

/// A claim that somebody shows.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The molecule.
    pub mol: String,
    /// The step.
    pub step: String,
    /// What proves it.
    pub token: String,
}

impl Proof {
    pub(super) fn borrowed(&self) -> StepProof<'_> {
        StepProof {
            mol: &self.mol,
            step: &self.step,
            token: &self.token,
        }
    }
}

/// What came of completing a step.
#[derive(Debug, Clone, Serialize)]
pub struct Completion {
    /// The molecule.
    pub mol_id: String,
    /// The step.
    pub step_id: String,
    /// Whether it is completed; otherwise it failed, since it must give something else.
    pub completed: bool,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the molecule ended, if this was the last of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<windlass_plan::Outcome>,
    /// The steps of it that may be claimed now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<ReadyStep>,
    /// What passes on to the steps that need it, where one of the two has to do with context packs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payloads: Vec<EdgePayload>,
    /// The step that was claimed next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<StepReport>,
}

impl Completion {
    /// That it is not: the attempt failed.
    pub(super) fn failed(step: &StepReport, why: String) -> Self {
        Self {
            mol_id: step.mol_id.clone(),
            step_id: step.step_id.clone(),
            completed: false,
            reason: Some(why),
            outcome: None,
            ready: Vec::new(),
            payloads: Vec::new(),
            next: None,
        }
    }
}

/// That there is no such step.
pub(in crate::ledger) fn no_step(molecule: &Molecule, step: &str) -> LedgerError {
    let known = molecule.steps.iter().map(|step| step.id.as_str());
    let near = did_you_mean(step, known).map(str::to_owned);
    LedgerError::Missing {
        what: "step",
        id: step.to_owned(),
        near,
    }
}

impl LedgerDesk {
    /// Takes a step for oneself. Of all who ask at once for one step, one gets it.
    ///
    /// # Errors
    /// When somebody else has it, it cannot be begun, or nothing is ready.
    pub fn claim_step(&mut self, request: &ClaimRequest) -> Result<StepReport, Error> {
        let world = self.world();
        self.note_clock(request.mol.as_deref())?;
        let claim = Claim {
            mol: request.mol.as_deref(),
            step: request.step.as_deref(),
            lease_ms: request.lease_ms,
            machine: false,
        };
        let claimed = self.decide(|draft| draft.claim_step(&claim, &world))?;
        self.claimed(&claimed, request.pack)
    }

    /// Says that one is still at work on a step.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn prolong(&mut self, proof: &Proof, lease_ms: Option<u64>) -> Result<StepReport, Error> {
        self.decide(|draft| draft.prolong(proof.borrowed(), lease_ms))?;
        self.mol_step(&proof.mol, &proof.step)
    }

    /// Gives a step back: it is ready for others, and the attempt does not count.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn release_step(
        &mut self,
        proof: &Proof,
        reason: Option<&str>,
    ) -> Result<StepReport, Error> {
        self.decide(|draft| draft.release(proof.borrowed(), reason))?;
        self.mol_step(&proof.mol, &proof.step)
    }

    /// Gives back a step without its token, for a reason that is recorded. Anybody may: the claim is void, the attempt does
    /// not count, and a holder who is somebody else gets a message.
    ///
    /// # Errors
    /// When nobody has the step, or no reason is given.
    pub fn release_held_step(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
    ) -> Result<StepReport, Error> {
        let mol = self.molecule_id(Some(mol))?;
        let actor = self.actor()?.to_owned();
        self.decide(|draft| {
            let Some(holder) = draft.release_held(&mol, step, reason)? else {
                return Ok(());
            };
            let message_id = draft.message_id();
            let sent = draft.emit(MailSent {
                message_id: message_id.clone(),
                from: actor.clone(),
                to: holder.clone(),
                subject: format!("{actor} released {step} of {mol} from you"),
                body: reason.to_owned(),
                message_type: None,
                priority: None,
                metadata: Map::new(),
            })?;
            let delivered = MailDelivered {
                message_id,
                recipient: holder,
            };
            draft.emit_caused_by(delivered, Some(&sent)).map(drop)
        })?;
        self.mol_step(&mol, step)
    }

    /// Gives back every step that one has in hand, of all molecules.
    ///
    /// # Errors
    /// When nobody says who they are; when one cannot be given back, which leaves those after it.
    pub fn release_all_steps(&mut self, reason: Option<&str>) -> Result<Vec<StepReport>, Error> {
        let mut released = Vec::new();
        for step in self.current_steps(None)? {
            let proof = Proof {
                mol: step.mol_id,
                step: step.step_id,
                token: step.token.unwrap_or_default(),
            };
            released.push(self.release_step(&proof, reason)?);
        }
        Ok(released)
    }

    /// Completes a step with what it gave, and claims the next of the molecule if `claim_next`.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn complete_step(
        &mut self,
        proof: &Proof,
        output: Value,
        claim_next: bool,
    ) -> Result<Completion, Error> {
        let world = self.world();
        let made = self.made_of(&proof.mol, &proof.step, &output)?;
        let (completed, next) = self.decide(|draft| {
            let children = made.with_ids(draft);
            let completed = draft.complete(proof.borrowed(), output, children, &world)?;
            if !claim_next {
                return Ok((completed, None));
            }
            let claim = Claim {
                mol: Some(&proof.mol),
                ..Claim::default()
            };
            match draft.claim_step(&claim, &world) {
                Ok(claimed) => Ok((completed, Some(claimed))),
                Err(LedgerError::NoStepReady { .. }) => Ok((completed, None)),
                Err(error) => Err(error),
            }
        })?;
        let next = next
            .map(|claimed| self.claimed(&claimed, false))
            .transpose()?;
        let step = self.mol_step(&proof.mol, &proof.step)?;
        let molecule = self.molecule(Some(&proof.mol), None)?;
        let payloads = match self.formula_of(&proof.mol) {
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
                None => self.ready_steps(Some(&proof.mol), true)?.steps,
                Some(_) => Vec::new(),
            },
            next,
        })
    }

    /// Says that an attempt at a step failed; it is tried again as its policy says, unless `for_good`.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn fail_step(
        &mut self,
        proof: &Proof,
        reason: &str,
        for_good: bool,
        output: Value,
    ) -> Result<StepReport, Error> {
        let world = self.world();
        let failed = MolStepFailed {
            reason: reason.to_owned(),
            for_good,
            output,
            ..MolStepFailed::default()
        };
        self.decide(|draft| draft.fail(proof.borrowed(), failed, &world))?;
        self.mol_step(&proof.mol, &proof.step)
    }

    /// Leaves a step out: what needs it inherits what it needs.
    ///
    /// # Errors
    /// When it has ended, or somebody else works on it.
    pub fn skip_step(&mut self, mol: &str, step: &str, reason: &str) -> Result<StepReport, Error> {
        let world = self.world();
        self.decide(|draft| draft.skip(mol, step, reason, &world))?;
        self.mol_step(mol, step)
    }

    /// Sends the work back to a step that ended: it and all that follows from it is done anew.
    ///
    /// # Errors
    /// When it has not ended.
    pub fn push_back(
        &mut self,
        mol: &str,
        step: &str,
        from: Option<&str>,
        reason: &str,
    ) -> Result<StepReport, Error> {
        let world = self.world();
        self.decide(|draft| {
            let molecule = draft.molecule(mol)?;
            for named in [Some(step), from].into_iter().flatten() {
                if molecule.find(named).is_none() {
                    return Err(no_step(&molecule, named));
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
        self.mol_step(mol, step)
    }

    /// Leaves a step to one's own next session: a message to oneself with all it takes to go on, the molecule on one's
    /// hook, and the claim prolonged.
    ///
    /// # Errors
    /// When the claim is over, or something else is on the hook.
    pub fn hand_off(
        &mut self,
        proof: &Proof,
        body: &str,
        lease_ms: Option<u64>,
        replace: bool,
    ) -> Result<Message, Error> {
        let actor = self.actor()?.to_owned();
        self.decide(|draft| {
            draft.prolong(proof.borrowed(), lease_ms)?;
            let mut metadata = Map::new();
            for (name, value) in [
                ("mol_id", &proof.mol),
                ("step_id", &proof.step),
                ("token", &proof.token),
            ] {
                metadata.insert(name.to_owned(), value.clone().into());
            }
            let id = draft.message_id();
            let sent = draft.emit(MailSent {
                message_id: id.clone(),
                from: actor.clone(),
                to: actor.clone(),
                subject: format!("go on with {} of {}", proof.step, proof.mol),
                body: body.to_owned(),
                message_type: Some(MessageType::Handoff.to_string()),
                priority: None,
                metadata,
            })?;
            let delivered = MailDelivered {
                message_id: id.clone(),
                recipient: actor.clone(),
            };
            draft.emit_caused_by(delivered, Some(&sent))?;
            let hooked = draft.state().hooks().get(&actor).cloned();
            match hooked {
                Some(hook) if (hook.kind, &hook.reference) == (HookKind::Mol, &proof.mol) => {}
                Some(hook) if !replace => {
                    let reason = format!(
                        "{} `{}` is on the hook of {actor}; `--replace` takes it off",
                        hook.kind, hook.reference
                    );
                    return draft.refuse(reason, Some(hook.set_by));
                }
                _ => {
                    super::super::order::take_off(draft, &actor)?;
                    let hook_path = draft.state().hook_path(&actor);
                    draft.emit_caused_by(
                        HookSet {
                            agent: actor.clone(),
                            kind: HookKind::Mol.as_str().to_owned(),
                            reference: proof.mol.clone(),
                            hook_path,
                        },
                        Some(&sent),
                    )?;
                }
            }
            message(draft.state(), &id)
        })
    }
}
