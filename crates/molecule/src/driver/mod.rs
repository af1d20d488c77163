//! Runs the machine steps of a molecule, including retries and timers, until only work for others is left. Such a run
//! is called a drive.
//!
//! A drive can wait for everything that ends without people: retries, timers, steps on other machines, and gate
//! programs with a timeout. To notice writes by other processes, it checks the log files and reads them only if they
//! changed. Programs receive their claim in `WINDLASS_MOLECULE`, `WINDLASS_STEP`, `WINDLASS_ATTEMPT` and
//! `WINDLASS_TOKEN`.

mod drive_pause;
mod drive_text;
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
use crate::drains::Drains;
use crate::fan_out::ChildMolecules;
use crate::gate_needs::GateView;
use crate::machine::{Machine, MolScope, partial_output, runbook_of};
use drive_text::{failure_text, not_started, wait};
use driven_verification::Accepted;
use windlass_site::Error;

/// Report about a drive.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// Id of the molecule.
    pub mol_id: String,
    /// Actions taken, in order.
    pub done: Vec<DrivenStep>,
    /// What the molecule still waits for. Empty once the molecule is completed or closed.
    pub waits: Vec<MolWait>,
    /// Outcome of the molecule. Absent until it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// True if a program was not allowed to start.
    pub refused: bool,
}

/// One action of a drive.
#[derive(Debug, Clone, Serialize)]
pub struct DrivenStep {
    /// Name of the step.
    pub step_id: String,
    /// Result, such as `completed`, `failed` or `gate opened`.
    pub what: String,
}

/// One thing that a molecule waits for.
#[derive(Debug, Clone, Serialize)]
pub struct MolWait {
    /// Name of the step.
    pub step_id: String,
    /// Description of the awaited event.
    pub waits_for: String,
}

/// Options of a drive.
#[derive(Clone, Copy)]
pub struct DriveOptions<'a> {
    /// True to start programs that are not trusted.
    pub allow_commands: bool,
    /// Events that the drive waits for.
    pub patience: Patience,
    /// Signal that stops the drive.
    pub stop: &'a Stop,
    /// Callback that receives the current waits before a pause of more than a second.
    pub waiting: &'a dyn Fn(&[MolWait]),
}

/// Which events a drive waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// The drive does not wait.
    None,
    /// Waits for events that need no person, such as retries, timers and steps on other machines.
    Machine,
    /// Waits for all events until the drive is stopped.
    Endless,
}

/// Pauses, in seconds, between attempts to record a program's result while the shared ledger cannot be reached.
const OUTAGE_PAUSES: [u64; 7] = [1, 2, 4, 8, 16, 32, 60];
/// Pause after the shared ledger could not be reached, in a drive of all molecules.
const AFTER_OUTAGE: Duration = Duration::from_secs(5);

/// True if the shared ledger could not be reached or was busy, so that a later attempt may succeed without any change.
fn is_outage(error: &Error) -> bool {
    error.is(|error: &LedgerError| {
        matches!(
            error,
            LedgerError::Unreachable { .. }
                | LedgerError::Unsettled { .. }
                | LedgerError::Contended(_)
        )
    })
}

/// State that a drive keeps between its rounds.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Gate programs that have run since the last pause. Each runs only once between pauses.
    asked: BTreeSet<String>,
    /// Reasons why steps were released, by step. These steps are not claimed again.
    why: BTreeMap<String, String>,
    /// True if the programs were trusted the last time this was checked.
    was_trusted: bool,
    /// Reasons why gates stay closed, by step.
    closed: BTreeMap<String, String>,
    refused: bool,
}

/// A molecule that is being driven, with its formula and its programs.
struct DriveContext<'a> {
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

    /// Clears earlier refusals if the molecule has become trusted, so that its steps are tried again.
    fn update_trust(&mut self, is_trusted: bool) {
        if is_trusted && !self.was_trusted {
            self.why.clear();
            self.refused = false;
        }
        self.was_trusted = is_trusted;
    }
}

impl Molecules<'_> {
    /// Returns the driver for these molecules.
    #[must_use]
    pub fn driver(&mut self) -> Driver<'_> {
        Driver {
            molecules: self.reborrowed(),
        }
    }
}

/// Runs machine steps and gate programs.
#[derive(Debug)]
pub struct Driver<'a> {
    molecules: Molecules<'a>,
}

impl Driver<'_> {
    /// Writes a decision that depends on program output. Secrets in the output are redacted.
    fn decide<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide_redacted(work)
    }

    /// Records the result of a program that has ended. While the shared ledger cannot be reached, tries again for about
    /// two minutes, because the result would otherwise be lost.
    async fn record<T>(
        &mut self,
        stop: &Stop,
        mut work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        for seconds in OUTAGE_PAUSES {
            match self.decide(&mut work) {
                Err(error) if is_outage(&error) && stop.level() == StopLevel::None => {
                    tokio::select! {
                        _ = stop.beyond(StopLevel::None) => {}
                        () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
                    }
                }
                done => return done,
            }
        }
        self.decide(work)
    }

    /// Drives a molecule and waits for events as `options` say.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist, or if the ledger cannot be read or written. Failures of steps
    /// are part of the report.
    pub async fn one(
        &mut self,
        mol: &str,
        options: DriveOptions<'_>,
    ) -> Result<DriveReport, Error> {
        let id = self.molecules.id(Some(mol))?;
        self.molecules.session.actor()?;
        self.molecules.session.report_when_done(&id);
        let (mut drive, mut reported) = (Drive::default(), Vec::new());
        loop {
            self.drive_once(&id, options, &mut drive).await?;
            let Some(pause) = self.pause(&id, options)? else {
                break;
            };
            if pause > Duration::from_secs(1) {
                let waits = self.waits(&id, &drive)?;
                let steps: Vec<String> = waits.iter().map(|wait| wait.step_id.clone()).collect();
                if steps != reported {
                    (options.waiting)(&waits);
                    reported = steps;
                }
            }
            self.wait(pause, options.stop).await?;
            drive.asked.clear();
            drive.closed.clear();
        }
        self.report(id, drive)
    }

    /// Drives all open molecules, including ones poured later, until stopped. Calls `on_report` for each molecule in
    /// which something was done.
    ///
    /// # Errors
    /// Returns an error if the caller has no actor name, or if the ledger cannot be read or written.
    pub async fn all(
        &mut self,
        options: DriveOptions<'_>,
        on_report: &mut dyn FnMut(&DriveReport),
    ) -> Result<(), Error> {
        self.molecules.session.actor()?;
        // Keep refused steps across rounds, so that they are not claimed again until the molecule is trusted.
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
                self.molecules.session.report_when_done(&id);
                match self.drive_once(&id, options, &mut drive).await {
                    Err(error) if is_outage(&error) => {
                        self.molecules.session.warn(error.to_string());
                        pause = pause.min(AFTER_OUTAGE);
                    }
                    done => done?,
                }
                pause = pause.min(self.pause(&id, options)?.unwrap_or(pause));
                refused.insert(id.clone(), (drive.why.clone(), drive.was_trusted));
                if !drive.done.is_empty() || drive.why.len() > known {
                    on_report(&self.report(id, drive)?);
                }
            }
            self.wait(pause, options.stop).await?;
        }
        Ok(())
    }

    /// Drives a molecule as far as possible without waiting.
    async fn drive_once(
        &mut self,
        id: &str,
        options: DriveOptions<'_>,
        drive: &mut Drive,
    ) -> Result<(), Error> {
        let stop = options.stop;
        loop {
            self.molecules.settle_if_due(id)?;
            for step in Drains(&mut self.molecules).perform(id)? {
                drive.did(&step, "drained");
            }
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
                drive.update_trust(self.molecules.service.is_trusted(&runbook).unwrap_or(false));
            }
            let context = DriveContext {
                machine: &machine,
                molecule: &molecule,
                cooked: &cooked,
            };
            let moved = self.try_gates(&context, drive, stop).await?
                || self.try_step(&context, drive, stop).await?;
            if !moved {
                return Ok(());
            }
        }
    }

    /// Returns what a molecule waits for.
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

    /// Runs the next machine step. Returns true if there was one.
    async fn try_step(
        &mut self,
        context: &DriveContext<'_>,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let molecule = context.molecule;
        let mut steps = molecule.steps.iter().zip(&context.cooked.steps);
        let next = steps.find(|(step, asked)| {
            let is_next = step.doer == Doer::Machine && molecule.may_begin(step);
            is_next && asked.drain.is_none() && !drive.why.contains_key(&step.id)
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
                .drive_verification(context, asked, proof, drive, stop)
                .await;
        }
        let timeout = asked.timeout.as_ref().and_then(|text| text.parse().ok());
        let output = match self.run_held(context, &claimed, timeout, stop).await {
            Ok(output) => output,
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                drive.refused |= error.kind == ErrorKind::Refused;
                return self.put_back(proof, not_started(molecule, &error), drive);
            }
            Err(error) => {
                let failed = MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: partial_output(&error),
                    ..MolStepFailed::default()
                };
                return self.fail(proof, &failed, drive, stop).await;
            }
        };
        match self.accepted(context, asked, &output, stop).await? {
            Accepted::Yes => self.complete(proof, &output, drive, stop).await,
            Accepted::No(reason) => {
                let failed = MolStepFailed {
                    reason,
                    output,
                    ..MolStepFailed::default()
                };
                self.fail(proof, &failed, drive, stop).await
            }
            Accepted::Refused(why) => {
                drive.refused = true;
                self.put_back(proof, why, drive)
            }
        }
    }

    /// Claims a step for the machine. Returns `None` if another machine was faster.
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

    async fn complete(
        &mut self,
        proof: &StepProof,
        output: &Value,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let world = self.molecules.session.world();
        let children = ChildMolecules::of(&self.molecules, &proof.mol, &proof.step, output)?;
        let work = |draft: &mut Draft<'_>| {
            let children = children.with_ids(draft);
            draft.complete(proof, output.clone(), children, &world)
        };
        let done = self.record(stop, work).await?;
        drive.did(&proof.step, if done { "completed" } else { "failed" });
        Ok(true)
    }

    async fn fail(
        &mut self,
        proof: &StepProof,
        failed: &MolStepFailed,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let (world, why) = (self.molecules.session.world(), failed.reason.clone());
        let work = |draft: &mut Draft<'_>| draft.fail(proof, failed.clone(), &world);
        let again = self.record(stop, work).await?;
        drive.did(&proof.step, failure_text(again, &why));
        Ok(true)
    }

    /// Releases a step that cannot be run, so that this drive does not claim it again.
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

    /// Runs a claimed step and extends its lease while it runs.
    async fn run_held(
        &mut self,
        context: &DriveContext<'_>,
        claimed: &ClaimedStep,
        timeout: Option<Duration>,
        stop: &Stop,
    ) -> Result<Value, StepError> {
        let scope = MolScope(context.molecule);
        let running = (context.machine).start_claimed(&scope, claimed, timeout, stop.clone());
        tokio::pin!(running);
        let pause = Duration::from_millis((context.molecule.lease_ms / 3).max(10));
        loop {
            tokio::select! {
                result = &mut running => return result,
                () = tokio::time::sleep(pause) => {
                    // If the claim has ended, completing the step reports it, so the error is ignored here.
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
    fn refusal_cleared_once_trusted() {
        let mut drive = Drive::default();
        let mut refused_after = |is_trusted| {
            drive.update_trust(is_trusted);
            let is_refused = !drive.why.is_empty();
            // Trying again without trust is refused again.
            drive.why.insert("test".to_owned(), "trust".to_owned());
            is_refused
        };
        refused_after(false);
        let looks = [false, true, true, false, true].map(&mut refused_after);
        assert_eq!(looks, [true, false, true, true, false]);
    }
}
