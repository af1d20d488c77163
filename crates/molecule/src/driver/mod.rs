//! Drives what the machine can do of a molecule, over retries and timers, until only others' work is left, and reports that.

mod drive_pause;
mod drive_words;
mod driven_verification;
mod tried_gates;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
use windlass_formula::CookedFormula;
use windlass_ledger::event::MolStepFailed;
use windlass_ledger::{
    Claim, ClaimedStep, Doer, Draft, LedgerError, MolStep, Molecule, StepProof, VERIFY,
};
use windlass_plan::Outcome;

use crate::Molecules;
use crate::fan_out::Made;
use crate::gate_needs::GateView;
use crate::machine::{Machine, MolScope, runbook_of, seen};
use drive_words::{failed_words, not_started, wait};
use driven_verification::Accepted;
use windlass_site::Error;

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

/// Options of a drive.
#[derive(Clone, Copy)]
pub struct DriveOptions<'a> {
    /// Start programs whether they are trusted or not.
    pub allow_commands: bool,
    /// The things that are waited for.
    pub patience: Patience,
    /// Raised to stop it.
    pub stop: &'a Stop,
    /// Told what is waited for, when a wait of more than a second begins.
    pub waiting: &'a dyn Fn(&[MolWait]),
}

/// The things that a drive waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Nothing.
    None,
    /// Retries, timers, another machine's steps: all that ends without people.
    Machine,
    /// Everything, until it is stopped.
    Endless,
}

/// What is known of a drive while it goes on.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Programs that were started as gates: once is enough, until something is waited for.
    asked: BTreeSet<String>,
    /// Why steps cannot go on that nobody else would say.
    why: BTreeMap<String, String>,
    /// True if its programs were trusted at the last look after a refusal.
    was_trusted: bool,
    /// The same of gates.
    closed: BTreeMap<String, String>,
    refused: bool,
}

/// A molecule, and with what it is worked on.
struct Wanted<'a> {
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

    /// Forgets what was refused once it is trusted.
    fn look_at_trust(&mut self, is_trusted: bool) {
        if is_trusted && !self.was_trusted {
            self.why.clear();
            self.refused = false;
        }
        self.was_trusted = is_trusted;
    }
}

impl Molecules<'_> {
    /// What the machine does of molecules.
    #[must_use]
    pub fn driver(&mut self) -> Driver<'_> {
        Driver {
            molecules: self.reborrowed(),
        }
    }
}

/// What the machine does of molecules.
#[derive(Debug)]
pub struct Driver<'a> {
    molecules: Molecules<'a>,
}

impl Driver<'_> {
    /// Lets happen what is decided by what programs said.
    fn decide<T>(
        &mut self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide_redacted(work)
    }

    /// Does what the machine can do of a molecule, and waits as `options` say.
    ///
    /// # Errors
    /// When there is no such molecule, or something cannot be read or written. What goes wrong in a step is in the
    /// report.
    pub async fn one(
        &mut self,
        mol: &str,
        options: DriveOptions<'_>,
    ) -> Result<DriveReport, Error> {
        let id = self.molecules.id(Some(mol))?;
        self.molecules.session.actor()?;
        self.molecules.session.tell_when_done(&id);
        let (mut drive, mut told) = (Drive::default(), Vec::new());
        loop {
            self.drive_once(&id, options, &mut drive).await?;
            let Some(pause) = self.pause(&id, options)? else {
                break;
            };
            if pause > Duration::from_secs(1) {
                let waits = self.waits(&id, &drive)?;
                let steps: Vec<String> = waits.iter().map(|wait| wait.step_id.clone()).collect();
                if steps != told {
                    (options.waiting)(&waits);
                    told = steps;
                }
            }
            self.wait(pause, options.stop).await?;
            drive.asked.clear();
            drive.closed.clear();
        }
        self.report(id, drive)
    }

    /// Drives every molecule that is open, also those to come, until it is stopped. Each that something was done of is
    /// reported to `told`.
    ///
    /// # Errors
    /// When nobody says who drives, or something cannot be read or written.
    pub async fn all(
        &mut self,
        options: DriveOptions<'_>,
        told: &mut dyn FnMut(&DriveReport),
    ) -> Result<(), Error> {
        self.molecules.session.actor()?;
        // What was not allowed to start is not claimed again until it is trusted.
        let mut refused: BTreeMap<String, (BTreeMap<String, String>, bool)> = BTreeMap::new();
        while options.stop.level() == StopLevel::None {
            let mut pause = drive_pause::MAX_PAUSE;
            for id in self.molecules.open(None)? {
                let (why, was_trusted) = refused.remove(&id).unwrap_or_default();
                let mut drive = Drive {
                    why,
                    was_trusted,
                    ..Drive::default()
                };
                let known = drive.why.len();
                self.molecules.session.tell_when_done(&id);
                self.drive_once(&id, options, &mut drive).await?;
                pause = pause.min(self.pause(&id, options)?.unwrap_or(pause));
                refused.insert(id.clone(), (drive.why.clone(), drive.was_trusted));
                if !drive.done.is_empty() || drive.why.len() > known {
                    told(&self.report(id, drive)?);
                }
            }
            self.wait(pause, options.stop).await?;
        }
        Ok(())
    }

    /// Does what the machine can do of a molecule at once.
    async fn drive_once(
        &mut self,
        id: &str,
        options: DriveOptions<'_>,
        drive: &mut Drive,
    ) -> Result<(), Error> {
        let stop = options.stop;
        loop {
            self.molecules.settle_if_due(id)?;
            let molecule = self.molecules.get(Some(id), None)?;
            if !molecule.is_open() || stop.level() > StopLevel::None {
                return Ok(());
            }
            let cooked = self.molecules.formula_of(id)?;
            let machine = Machine::new(
                self.molecules.service.runs(),
                id,
                &cooked,
                options.allow_commands,
            )?;
            if !drive.why.is_empty() {
                let runbook = runbook_of(id, &cooked)?;
                drive.look_at_trust(self.molecules.service.is_trusted(&runbook).unwrap_or(false));
            }
            let wanted = Wanted {
                machine: &machine,
                molecule: &molecule,
                cooked: &cooked,
            };
            let moved = self.try_gates(&wanted, drive, stop).await?
                || self.try_step(&wanted, drive, stop).await?;
            if !moved {
                return Ok(());
            }
        }
    }

    /// The things that a molecule waits for.
    fn waits(&mut self, id: &str, drive: &Drive) -> Result<Vec<MolWait>, Error> {
        let molecule = self.molecules.get(Some(id), None)?;
        let is_done = matches!(
            molecule.outcome,
            Some(Outcome::Completed | Outcome::Partial)
        );
        if is_done || molecule.closing.is_some() {
            return Ok(Vec::new());
        }
        let cooked = self.molecules.formula_of(id).ok();
        let world = self.molecules.session.world();
        let view = GateView {
            state: self.molecules.session.state(),
            world: &world,
            molecule: &molecule,
            cooked: cooked.as_ref(),
            now: self.molecules.session.log_now(),
        };
        let mut why = drive.why.clone();
        why.extend(drive.closed.clone());
        let steps = molecule.steps.iter();
        Ok(steps.filter_map(|step| wait(&view, step, &why)).collect())
    }

    fn report(&mut self, id: String, drive: Drive) -> Result<DriveReport, Error> {
        Ok(DriveReport {
            waits: self.waits(&id, &drive)?,
            outcome: self.molecules.get(Some(&id), None)?.outcome,
            done: drive.done,
            refused: drive.refused,
            mol_id: id,
        })
    }

    /// Does the next step of the machine; whether there was one.
    async fn try_step(
        &mut self,
        wanted: &Wanted<'_>,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let molecule = wanted.molecule;
        let mut steps = molecule.steps.iter().zip(&wanted.cooked.steps);
        let next = steps.find(|(step, _)| {
            let is_next = step.doer == Doer::Machine && molecule.may_begin(step);
            is_next && !drive.why.contains_key(&step.id)
        });
        let Some((step, asked)) = next else {
            return Ok(false);
        };
        let Some(claimed) = self.claim(molecule, step)? else {
            return Ok(true);
        };
        let proof = &claimed.proof;
        if asked.uses.as_deref() == Some(VERIFY) {
            return self
                .drive_verification(wanted, asked, proof, drive, stop)
                .await;
        }
        let timeout = asked.timeout.as_ref().and_then(|text| text.parse().ok());
        let output = match self.run_held(wanted, &claimed, timeout, stop).await {
            Ok(output) => output,
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                drive.refused |= error.kind == ErrorKind::Refused;
                return self.put_back(proof, not_started(molecule, &error), drive);
            }
            Err(error) => {
                let failed = MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: seen(&error),
                    ..MolStepFailed::default()
                };
                return self.fail(proof, failed, drive);
            }
        };
        match self.accepted(wanted, asked, &output, stop).await? {
            Accepted::Yes => self.complete(proof, output, drive),
            Accepted::No(reason) => {
                let failed = MolStepFailed {
                    reason,
                    output,
                    ..MolStepFailed::default()
                };
                self.fail(proof, failed, drive)
            }
            Accepted::Refused(why) => {
                drive.refused = true;
                self.put_back(proof, why, drive)
            }
        }
    }

    /// Claims a step for the machine; nothing where another machine was faster.
    fn claim(&mut self, molecule: &Molecule, step: &MolStep) -> Result<Option<ClaimedStep>, Error> {
        let world = self.molecules.session.world();
        let claim = Claim {
            mol: Some(molecule.id.clone()),
            step: Some(step.id.clone()),
            machine: true,
            ..Claim::default()
        };
        let is_gone = |error: &LedgerError| {
            matches!(
                error,
                LedgerError::Rejected(_) | LedgerError::NoStepReady { .. }
            )
        };
        match self.decide(|draft| draft.claim(&claim, &world)) {
            Err(error) if error.is(is_gone) => Ok(None),
            claimed => claimed.map(Some),
        }
    }

    fn complete(
        &mut self,
        proof: &StepProof,
        output: Value,
        drive: &mut Drive,
    ) -> Result<bool, Error> {
        let world = self.molecules.session.world();
        let made = Made::of(&self.molecules, &proof.mol, &proof.step, &output)?;
        let done = self.decide(|draft| {
            let children = made.with_ids(draft);
            draft.complete(proof, output, children, &world)
        })?;
        drive.did(&proof.step, if done { "completed" } else { "failed" });
        Ok(true)
    }

    fn fail(
        &mut self,
        proof: &StepProof,
        failed: MolStepFailed,
        drive: &mut Drive,
    ) -> Result<bool, Error> {
        let (world, why) = (self.molecules.session.world(), failed.reason.clone());
        let again = self.decide(|draft| draft.fail(proof, failed, &world))?;
        drive.did(&proof.step, failed_words(again, &why));
        Ok(true)
    }

    /// Gives a step back that cannot be done, and does not try it again.
    fn put_back(
        &mut self,
        proof: &StepProof,
        why: String,
        drive: &mut Drive,
    ) -> Result<bool, Error> {
        self.decide(|draft| draft.release(proof, Some(&why)))?;
        drive.why.insert(proof.step.clone(), why);
        Ok(true)
    }

    /// Runs a step, and says meanwhile that somebody is at work.
    async fn run_held(
        &mut self,
        wanted: &Wanted<'_>,
        claimed: &ClaimedStep,
        timeout: Option<Duration>,
        stop: &Stop,
    ) -> Result<Value, StepError> {
        let scope = MolScope(wanted.molecule);
        let running = (wanted.machine).start_claimed(&scope, claimed, timeout, stop.clone());
        tokio::pin!(running);
        let pause = Duration::from_millis((wanted.molecule.lease_ms / 3).max(10));
        loop {
            tokio::select! {
                result = &mut running => return result,
                () = tokio::time::sleep(pause) => {
                    // If the claim is over, completing will say so.
                    let _ = self.decide(|draft| draft.prolong(&claimed.proof, None));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_is_forgotten_once_when_trust_is_given() {
        let mut drive = Drive::default();
        let mut refused_after = |is_trusted| {
            drive.look_at_trust(is_trusted);
            let is_refused = !drive.why.is_empty();
            // It is refused once more, if it is tried.
            drive.why.insert("test".to_owned(), "trust".to_owned());
            is_refused
        };
        refused_after(false);
        let looks = [false, true, true, false, true].map(&mut refused_after);
        assert_eq!(looks, [true, false, true, true, false]);
    }
}
