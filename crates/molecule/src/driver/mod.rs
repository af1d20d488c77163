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
use windlass_ledger::{Claim, ClaimedStep, Doer, LedgerError, Molecule, StepProof, VERIFY};
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
        Driver::of(Molecules::of(self.session, self.service))
    }
}

/// What the machine does of molecules.
#[derive(Debug)]
pub struct Driver<'a> {
    on: Molecules<'a>,
}

impl<'a> Driver<'a> {
    pub(crate) fn of(on: Molecules<'a>) -> Self {
        Self { on }
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
        let id = self.on.id(Some(mol))?;
        self.on.session.actor()?;
        self.on.session.tell_when_done(&id);
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
        self.on.session.actor()?;
        // What was not allowed to start is not claimed again until it is trusted.
        let mut refused: BTreeMap<String, (BTreeMap<String, String>, bool)> = BTreeMap::new();
        while options.stop.level() == StopLevel::None {
            let mut pause = drive_pause::MAX_PAUSE;
            for id in self.on.open(None)? {
                let (why, was_trusted) = refused.remove(&id).unwrap_or_default();
                let mut drive = Drive {
                    why,
                    was_trusted,
                    ..Drive::default()
                };
                let known = drive.why.len();
                self.on.session.tell_when_done(&id);
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
            self.on.settle_if_due(id)?;
            let molecule = self.on.get(Some(id), None)?;
            if !molecule.is_open() || stop.level() > StopLevel::None {
                return Ok(());
            }
            let cooked = self.on.formula_of(id)?;
            let machine =
                Machine::new(self.on.service.runs(), id, &cooked, options.allow_commands)?;
            if !drive.why.is_empty() {
                let runbook = runbook_of(id, &cooked)?;
                drive.look_at_trust(self.on.service.is_trusted(&runbook).unwrap_or(false));
            }
            let moved = self
                .try_gates(&machine, &molecule, &cooked, drive, stop)
                .await?
                || self
                    .try_step(&machine, &molecule, &cooked, drive, stop)
                    .await?;
            if !moved {
                return Ok(());
            }
        }
    }

    /// The things that a molecule waits for.
    fn waits(&mut self, id: &str, drive: &Drive) -> Result<Vec<MolWait>, Error> {
        let molecule = self.on.get(Some(id), None)?;
        let is_done = matches!(
            molecule.outcome,
            Some(Outcome::Completed | Outcome::Partial)
        );
        if is_done || molecule.closing.is_some() {
            return Ok(Vec::new());
        }
        let cooked = self.on.formula_of(id).ok();
        let world = self.on.session.world();
        let view = GateView {
            state: self.on.session.state(),
            world: &world,
            molecule: &molecule,
            cooked: cooked.as_ref(),
            now: self.on.session.log_now(),
        };
        let mut why = drive.why.clone();
        why.extend(drive.closed.clone());
        let steps = molecule.steps.iter();
        Ok(steps.filter_map(|step| wait(&view, step, &why)).collect())
    }

    fn report(&mut self, id: String, drive: Drive) -> Result<DriveReport, Error> {
        Ok(DriveReport {
            waits: self.waits(&id, &drive)?,
            outcome: self.on.get(Some(&id), None)?.outcome,
            done: drive.done,
            refused: drive.refused,
            mol_id: id,
        })
    }

    /// Does the next step of the machine; whether there was one.
    async fn try_step(
        &mut self,
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
        let world = self.on.session.world();
        let claim = Claim {
            mol: Some(&molecule.id),
            step: Some(&step.id),
            machine: true,
            ..Claim::default()
        };
        let claimed = match self
            .on
            .session
            .decide_redacted(|draft| draft.steps().claim(&claim, &world))
        {
            Ok(claimed) => claimed,
            // Another machine was faster.
            Err(error)
                if error.is(|error| {
                    matches!(
                        error,
                        LedgerError::Rejected(_) | LedgerError::NoStepReady { .. }
                    )
                }) =>
            {
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
                machine,
                molecule,
                cooked,
            };
            return self
                .drive_verification(&wanted, asked, proof, drive, stop)
                .await;
        }
        let result = self
            .run_held(machine, molecule, &claimed, timeout, stop)
            .await;
        match result {
            Ok(output) => {
                let wanted = Wanted {
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
                        let again = self
                            .on
                            .session
                            .decide_redacted(|draft| draft.steps().fail(proof, failed, &world))?;
                        drive.did(&step.id, failed_words(again, &why));
                        return Ok(true);
                    }
                    Accepted::Refused(why) => {
                        drive.refused = true;
                        self.on
                            .session
                            .decide_redacted(|draft| draft.steps().release(proof, Some(&why)))?;
                        drive.why.insert(step.id.clone(), why);
                        return Ok(true);
                    }
                }
                let made = Made::of(&self.on, proof.mol, proof.step, &output)?;
                let done = self.on.session.decide_redacted(|draft| {
                    let children = made.with_ids(draft);
                    draft.steps().complete(proof, output, children, &world)
                })?;
                drive.did(&step.id, if done { "completed" } else { "failed" });
            }
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                drive.refused |= error.kind == ErrorKind::Refused;
                let why = not_started(molecule, &error);
                self.on
                    .session
                    .decide_redacted(|draft| draft.steps().release(proof, Some(&why)))?;
                drive.why.insert(step.id.clone(), why);
            }
            Err(error) => {
                let failed = MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: seen(&error),
                    ..MolStepFailed::default()
                };
                let again = self
                    .on
                    .session
                    .decide_redacted(|draft| draft.steps().fail(proof, failed, &world))?;
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
        claimed: &ClaimedStep,
        timeout: Option<Duration>,
        stop: &Stop,
    ) -> Result<Value, StepError> {
        let scope = MolScope(molecule);
        let proof = StepProof {
            mol: &claimed.mol_id,
            step: &claimed.step_id,
            token: &claimed.token,
        };
        let running = machine.start_claimed(&scope, claimed, timeout, stop.clone());
        tokio::pin!(running);
        let pause = Duration::from_millis((molecule.lease_ms / 3).max(10));
        loop {
            tokio::select! {
                result = &mut running => return result,
                () = tokio::time::sleep(pause) => {
                    // If the claim is over, completing will say so.
                    let _ = self.on.session.decide_redacted(|draft| draft.steps().prolong(proof, None));
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
