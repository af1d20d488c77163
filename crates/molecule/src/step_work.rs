//! What agents do with the steps of a molecule.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_ledger::event::{MailSent, MolPushedBack, MolStepFailed};
use windlass_ledger::{
    Claim, Draft, HookKind, LedgerError, Message, MessageType, StepProof, message, put_on_hook,
};
use windlass_packs::context::EdgePayload;

use crate::Molecules;
use crate::fan_out::Made;
use crate::molecule_reports::ReadyStep;
use crate::step_packs::payloads_from;
use crate::step_report::StepReport;
use windlass_site::Error;

/// What came of completing a step.
#[derive(Debug, Clone, Default, Serialize)]
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

/// What somebody does with the steps of molecules.
#[derive(Debug)]
pub struct StepWork<'a> {
    pub(crate) molecules: Molecules<'a>,
}

impl StepWork<'_> {
    /// Takes a step for oneself; `with_pack` its context pack, also where it names none. Of all who ask at once for one step, one
    /// gets it.
    ///
    /// # Errors
    /// When somebody else has it, it cannot be begun, or nothing is ready.
    pub fn claim(&mut self, claim: &Claim, with_pack: bool) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.molecules.note_clock(claim.mol.as_deref())?;
        let claimed = self.decide(|draft| draft.claim(claim, &world))?;
        self.claimed(&claimed.proof, with_pack)
    }

    fn decide<T>(
        &mut self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide(work)
    }

    /// Says that one is still at work on a step.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn prolong(
        &mut self,
        proof: &StepProof,
        lease_ms: Option<u64>,
    ) -> Result<StepReport, Error> {
        self.decide(|draft| draft.prolong(proof, lease_ms))?;
        self.molecules.step(&proof.mol, &proof.step)
    }

    /// Gives a step back: it is ready for others, and the attempt does not count.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn release(
        &mut self,
        proof: &StepProof,
        reason: Option<&str>,
    ) -> Result<StepReport, Error> {
        self.decide(|draft| draft.release(proof, reason))?;
        self.molecules.step(&proof.mol, &proof.step)
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
        let mol = self.molecules.id(Some(mol))?;
        let actor = self.molecules.session.actor()?.to_owned();
        self.decide(|draft| {
            let Some(holder) = draft.release_held(&mol, step, reason)? else {
                return Ok(());
            };
            let mail = MailSent {
                to: holder,
                subject: format!("{actor} released {step} of {mol} from you"),
                body: reason.to_owned(),
                ..MailSent::default()
            };
            draft.send(mail).map(drop)
        })?;
        self.molecules.step(&mol, step)
    }

    /// Gives back every step that one has in hand, of all molecules.
    ///
    /// # Errors
    /// When nobody says who they are; when one cannot be given back, which leaves those after it.
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

    /// Completes a step with what it gave, and claims the next of the molecule if `claim_next`.
    ///
    /// # Errors
    /// When the claim is over.
    pub fn complete(
        &mut self,
        proof: &StepProof,
        output: Value,
        claim_next: bool,
    ) -> Result<Completion, Error> {
        let world = self.molecules.session.world();
        let made = Made::of(&self.molecules, &proof.mol, &proof.step, &output)?;
        let (completed, next) = self.decide(|draft| {
            let children = made.with_ids(draft);
            let completed = draft.complete(proof, output, children, &world)?;
            if !claim_next {
                return Ok((completed, None));
            }
            let claim = Claim {
                mol: Some(proof.mol.clone()),
                ..Claim::default()
            };
            match draft.claim(&claim, &world) {
                Ok(claimed) => Ok((completed, Some(claimed))),
                Err(LedgerError::NoStepReady { .. }) => Ok((completed, None)),
                Err(error) => Err(error),
            }
        })?;
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

    /// Says that an attempt at a step failed; it is tried again as its policy says, unless `for_good`.
    ///
    /// # Errors
    /// When the claim is over.
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
        self.decide(|draft| draft.fail(proof, failed, &world))?;
        self.molecules.step(&proof.mol, &proof.step)
    }

    /// Leaves a step out: what needs it inherits what it needs.
    ///
    /// # Errors
    /// When it has ended, or somebody else works on it.
    pub fn skip(&mut self, mol: &str, step: &str, reason: &str) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.decide(|draft| draft.skip(mol, step, reason, &world))?;
        self.molecules.step(mol, step)
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

    /// Leaves a step to one's own next session: a message to oneself with all it takes to go on, the molecule on one's
    /// hook, and the claim prolonged.
    ///
    /// # Errors
    /// When the claim is over, or something else is on the hook.
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
                subject: format!("go on with {} of {}", proof.step, proof.mol),
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

    /// What was claimed; with the context pack of the step, if it names one, or `wanted` says so.
    fn claimed(&mut self, claim: &StepProof, wanted: bool) -> Result<StepReport, Error> {
        let pack = self.give_pack(claim, wanted);
        let state = self.molecules.session.state();
        let gone = || Error::internal(format!("`{}` is not there any more", claim.mol));
        let molecule = state.molecule(&claim.mol).ok_or_else(gone)?;
        let at = molecule.find(&claim.step).ok_or_else(gone)?.index();
        let mut report = self.molecules.report_of(&molecule, at);
        report.pack = pack.or(report.pack);
        Ok(report)
    }
}
