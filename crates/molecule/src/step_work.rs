//! What agents do with the steps of a molecule.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_ledger::event::{HookSet, MailDelivered, MailSent, MolPushedBack, MolStepFailed};
use windlass_ledger::{
    Claim, ClaimedStep, HookKind, LedgerError, Message, MessageType, StepProof, message,
    take_off_hook,
};
use windlass_packs::context::EdgePayload;

use crate::Molecules;
use crate::fan_out::Made;
use crate::molecule_reports::ReadyStep;
use crate::step_packs::payloads_from;
use crate::step_report::StepReport;
use windlass_site::Error;

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
    pub(crate) fn borrowed(&self) -> StepProof<'_> {
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
    pub(crate) fn failed(step: &StepReport, why: String) -> Self {
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

impl Molecules<'_> {
    /// The steps of molecules, for those who work on them.
    #[must_use]
    pub fn steps(&mut self) -> StepWork<'_> {
        StepWork::of(Molecules::of(self.session, self.service))
    }
}

/// What somebody does with the steps of molecules.
#[derive(Debug)]
pub struct StepWork<'a> {
    pub(crate) on: Molecules<'a>,
}

impl<'a> StepWork<'a> {
    pub(crate) fn of(on: Molecules<'a>) -> Self {
        Self { on }
    }

    /// Takes a step for oneself. Of all who ask at once for one step, one gets it.
    ///
    /// # Errors
    /// When somebody else has it, it cannot be begun, or nothing is ready.
    pub fn claim(&mut self, request: &ClaimRequest) -> Result<StepReport, Error> {
        let world = self.on.session.world();
        self.on.note_clock(request.mol.as_deref())?;
        let claim = Claim {
            mol: request.mol.as_deref(),
            step: request.step.as_deref(),
            lease_ms: request.lease_ms,
            machine: false,
        };
        let claimed = self
            .on
            .session
            .decide(|draft| draft.steps().claim(&claim, &world))?;
        self.claimed(&claimed, request.pack)
    }

    /// Says that one is still at work on a step.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn prolong(&mut self, proof: &Proof, lease_ms: Option<u64>) -> Result<StepReport, Error> {
        self.on
            .session
            .decide(|draft| draft.steps().prolong(proof.borrowed(), lease_ms))?;
        self.on.step(&proof.mol, &proof.step)
    }

    /// Gives a step back: it is ready for others, and the attempt does not count.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn release(&mut self, proof: &Proof, reason: Option<&str>) -> Result<StepReport, Error> {
        self.on
            .session
            .decide(|draft| draft.steps().release(proof.borrowed(), reason))?;
        self.on.step(&proof.mol, &proof.step)
    }

    /// Gives back a step without its token, for a reason that is recorded. Anybody may: the claim is void, the attempt does
    /// not count, and a holder who is somebody else gets a message.
    ///
    /// # Errors
    /// When nobody has the step, or no reason is given.
    pub fn release_held(
        &mut self,
        mol: &str,
        step: &str,
        reason: &str,
    ) -> Result<StepReport, Error> {
        let mol = self.on.id(Some(mol))?;
        let actor = self.on.session.actor()?.to_owned();
        self.on.session.decide(|draft| {
            let Some(holder) = draft.steps().release_held(&mol, step, reason)? else {
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
        self.on.step(&mol, step)
    }

    /// Gives back every step that one has in hand, of all molecules.
    ///
    /// # Errors
    /// When nobody says who they are; when one cannot be given back, which leaves those after it.
    pub fn release_all(&mut self, reason: Option<&str>) -> Result<Vec<StepReport>, Error> {
        let mut released = Vec::new();
        for step in self.on.current_steps(None)? {
            let proof = Proof {
                mol: step.mol_id,
                step: step.step_id,
                token: step.token.unwrap_or_default(),
            };
            released.push(self.release(&proof, reason)?);
        }
        Ok(released)
    }

    /// Completes a step with what it gave, and claims the next of the molecule if `claim_next`.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn complete(
        &mut self,
        proof: &Proof,
        output: Value,
        claim_next: bool,
    ) -> Result<Completion, Error> {
        let world = self.on.session.world();
        let made = Made::of(&self.on, &proof.mol, &proof.step, &output)?;
        let (completed, next) = self.on.session.decide(|draft| {
            let children = made.with_ids(draft);
            let completed = draft
                .steps()
                .complete(proof.borrowed(), output, children, &world)?;
            if !claim_next {
                return Ok((completed, None));
            }
            let claim = Claim {
                mol: Some(&proof.mol),
                ..Claim::default()
            };
            match draft.steps().claim(&claim, &world) {
                Ok(claimed) => Ok((completed, Some(claimed))),
                Err(LedgerError::NoStepReady { .. }) => Ok((completed, None)),
                Err(error) => Err(error),
            }
        })?;
        let next = next
            .map(|claimed| self.claimed(&claimed, false))
            .transpose()?;
        let step = self.on.step(&proof.mol, &proof.step)?;
        let molecule = self.on.get(Some(&proof.mol), None)?;
        let payloads = match self.on.formula_of(&proof.mol) {
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
                None => self.on.ready(Some(&proof.mol), true)?.steps,
                Some(_) => Vec::new(),
            },
            next,
        })
    }

    /// Says that an attempt at a step failed; it is tried again as its policy says, unless `for_good`.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn fail(
        &mut self,
        proof: &Proof,
        reason: &str,
        for_good: bool,
        output: Value,
    ) -> Result<StepReport, Error> {
        let world = self.on.session.world();
        let failed = MolStepFailed {
            reason: reason.to_owned(),
            for_good,
            output,
            ..MolStepFailed::default()
        };
        self.on
            .session
            .decide(|draft| draft.steps().fail(proof.borrowed(), failed, &world))?;
        self.on.step(&proof.mol, &proof.step)
    }

    /// Leaves a step out: what needs it inherits what it needs.
    ///
    /// # Errors
    /// When it has ended, or somebody else works on it.
    pub fn skip(&mut self, mol: &str, step: &str, reason: &str) -> Result<StepReport, Error> {
        let world = self.on.session.world();
        self.on
            .session
            .decide(|draft| draft.steps().skip(mol, step, reason, &world))?;
        self.on.step(mol, step)
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
        let world = self.on.session.world();
        self.on.session.decide(|draft| {
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
        self.on.step(mol, step)
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
        let actor = self.on.session.actor()?.to_owned();
        self.on.session.decide(|draft| {
            draft.steps().prolong(proof.borrowed(), lease_ms)?;
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
                    take_off_hook(draft, &actor)?;
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

    /// What was claimed; with the context pack of the step, if it names one, or `wanted` says so.
    fn claimed(&mut self, claimed: &ClaimedStep, wanted: bool) -> Result<StepReport, Error> {
        let pack = self.give_pack(claimed, wanted);
        let state = self.on.session.state();
        let gone = || Error::internal(format!("`{}` is not there any more", claimed.mol_id));
        let molecule = state.molecule(&claimed.mol_id).ok_or_else(gone)?;
        let at = molecule.find(&claimed.step_id).ok_or_else(gone)?.index();
        let cooked = self.on.formula_of(&claimed.mol_id).ok();
        let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
        let mut report = StepReport::of(&molecule, &molecule.steps[at], asked);
        report.pack = pack.or(report.pack);
        Ok(report)
    }
}
