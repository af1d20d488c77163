//! Does what the machine can do of a molecule, until only others' work is left, and says what that is.

mod gates;
mod looks;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
use windlass_ledger::event::MolStepFailed;
use windlass_ledger::{Claim, Doer, LedgerError, Molecule, StepProof};
use windlass_plan::Outcome;
use windlass_plan::formula::CookedFormula;

use super::super::LedgerDesk;
use super::super::secrets::REPLACED;
use super::machine::{Machine, MolScope};
use super::verify_kind::VERIFY;
use crate::{Error, Workspace};
use looks::Accepted;
pub(super) use words::seen;
use words::{failed_words, not_started, wait};

/// What the machine did of a molecule, and what is left to others.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// The molecule.
    pub mol_id: String,
    /// What was done, in this order.
    pub done: Vec<DrivenStep>,
    /// What is waited for; nothing once the molecule has ended.
    pub waits: Vec<MolWait>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Whether something was not allowed to start.
    pub refused: bool,
}

/// Something that the machine did.
#[derive(Debug, Clone, Serialize)]
pub struct DrivenStep {
    /// The step.
    pub step_id: String,
    /// What: `completed`, `failed`, `gate opened` …
    pub what: String,
}

/// Something that is waited for.
#[derive(Debug, Clone, Serialize)]
pub struct MolWait {
    /// The step.
    pub step_id: String,
    /// For what.
    pub waits_for: String,
}

/// What is known of a drive while it goes on.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Programs that were started as gates: once is enough.
    asked: BTreeSet<String>,
    /// Why steps cannot go on that nobody else would say.
    why: BTreeMap<String, String>,
    refused: bool,
}

/// A molecule, and with what it is worked on.
struct Wanted<'a> {
    workspace: &'a Workspace,
    machine: &'a Machine,
    molecule: &'a Molecule,
    cooked: &'a CookedFormula,
}

impl Drive {
    fn did(&mut self, step: &str, what: impl Into<String>) {
        self.done.push(DrivenStep {
            step_id: step.to_owned(),
            what: what.into(),
        });
    }
}

impl LedgerDesk {
    /// Does what the machine can do of a molecule. With `allow` programs are started whether they are trusted or not.
    ///
    /// # Errors
    /// When there is no such molecule, or something cannot be read or written. What goes wrong in a step is in the
    /// report.
    pub async fn drive(
        &mut self,
        workspace: &Workspace,
        mol: &str,
        allow: bool,
        stop: &Stop,
    ) -> Result<DriveReport, Error> {
        let id = self.molecule_id(Some(mol))?;
        self.actor()?;
        self.tell_when_done(&id);
        let mut drive = Drive::default();
        let mut machine = None;
        loop {
            self.settle_if_due(&id)?;
            let molecule = self.molecule(Some(&id), None)?;
            if !molecule.is_open() || stop.level() > StopLevel::None {
                break;
            }
            let cooked = self.formula_of(&id)?;
            let machine = match &mut machine {
                Some(machine) => machine,
                None => machine.insert(Machine::new(workspace, &id, &cooked, allow)?),
            };
            let moved = self
                .try_gates(machine, &molecule, &cooked, &mut drive, stop)
                .await?
                || self
                    .try_step(workspace, machine, &molecule, &cooked, &mut drive, stop)
                    .await?;
            if !moved {
                break;
            }
        }
        let molecule = self.molecule(Some(&id), None)?;
        let is_done = matches!(
            molecule.outcome,
            Some(Outcome::Completed | Outcome::Partial)
        );
        let is_over = is_done || molecule.closing.is_some();
        let waits = molecule.steps.iter().filter(|_| !is_over);
        let waits = waits.filter_map(|step| wait(&molecule, step, &drive.why));
        Ok(DriveReport {
            waits: waits.collect(),
            outcome: molecule.outcome,
            done: drive.done,
            refused: drive.refused,
            mol_id: id,
        })
    }

    /// Does the next step of the machine; whether there was one.
    async fn try_step(
        &mut self,
        workspace: &Workspace,
        machine: &Machine,
        molecule: &Molecule,
        cooked: &CookedFormula,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let mut steps = molecule.steps.iter().zip(&cooked.steps);
        let next = steps.find(|(step, _)| {
            let is_next = step.doer == Doer::Machine && molecule.may_begin(step);
            is_next && !drive.why.contains_key(&step.id)
        });
        let Some((step, asked)) = next else {
            return Ok(false);
        };
        let world = self.world();
        let claim = Claim {
            mol: Some(&molecule.id),
            step: Some(&step.id),
            machine: true,
            ..Claim::default()
        };
        let claimed = match self.decide_with(REPLACED, |draft| draft.claim_step(&claim, &world)) {
            Ok(claimed) => claimed,
            // Another machine was faster.
            Err(Error::Ledger(LedgerError::Rejected(_) | LedgerError::NoStepReady { .. })) => {
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        let proof = StepProof {
            mol: &molecule.id,
            step: &step.id,
            token: &claimed.token,
        };
        let timeout = asked.timeout.as_ref().and_then(|text| text.parse().ok());
        if asked.uses.as_deref() == Some(VERIFY) {
            let wanted = Wanted {
                workspace,
                machine,
                molecule,
                cooked,
            };
            return self
                .drive_verification(&wanted, asked, proof, drive, stop)
                .await;
        }
        let result = self.run_held(machine, molecule, proof, timeout, stop).await;
        match result {
            Ok(output) => {
                let wanted = Wanted {
                    workspace,
                    machine,
                    molecule,
                    cooked,
                };
                match self.accepted(&wanted, asked, &output, stop).await? {
                    Accepted::Yes => {}
                    Accepted::No(why) => {
                        let failed = MolStepFailed {
                            reason: why.clone(),
                            output,
                            ..MolStepFailed::default()
                        };
                        let again =
                            self.decide_with(REPLACED, |draft| draft.fail(proof, failed, &world))?;
                        drive.did(&step.id, failed_words(again, &why));
                        return Ok(true);
                    }
                    Accepted::Refused(why) => {
                        drive.refused = true;
                        self.decide_with(REPLACED, |draft| draft.release(proof, Some(&why)))?;
                        drive.why.insert(step.id.clone(), why);
                        return Ok(true);
                    }
                }
                let made = self.made_of(proof.mol, proof.step, &output)?;
                let done = self.decide_with(REPLACED, |draft| {
                    let children = made.with_ids(draft);
                    draft.complete(proof, output, children, &world)
                })?;
                drive.did(&step.id, if done { "completed" } else { "failed" });
            }
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                drive.refused |= error.kind == ErrorKind::Refused;
                let why = not_started(molecule, &error);
                self.decide_with(REPLACED, |draft| draft.release(proof, Some(&why)))?;
                drive.why.insert(step.id.clone(), why);
            }
            Err(error) => {
                let failed = MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: seen(&error),
                    ..MolStepFailed::default()
                };
                let again =
                    self.decide_with(REPLACED, |draft| draft.fail(proof, failed, &world))?;
                drive.did(&step.id, failed_words(again, &error.to_string()));
            }
        }
        Ok(true)
    }

    /// Runs a step, and says meanwhile that somebody is at work.
    async fn run_held(
        &mut self,
        machine: &Machine,
        molecule: &Molecule,
        proof: StepProof<'_>,
        timeout: Option<Duration>,
        stop: &Stop,
    ) -> Result<Value, StepError> {
        let scope = MolScope(molecule);
        let running = machine.start(&scope, proof.step, timeout, stop.clone());
        tokio::pin!(running);
        let pause = Duration::from_millis((molecule.lease_ms / 3).max(10));
        loop {
            tokio::select! {
                result = &mut running => return result,
                () = tokio::time::sleep(pause) => {
                    // If the claim is over, completing will say so.
                    let _ = self.decide_with(REPLACED, |draft| draft.prolong(proof, None));
                }
            }
        }
    }
}
