//! Runs the machine steps of molecules, including retries and timers, until only work for others is
//! left.
//!
//! Such a run is called a drive. A worker is a drive of all molecules that goes on until it's
//! stopped.
//!
//! A drive can wait for everything that ends without people: retries, timers, steps on other
//! machines, and gate programs with a timeout. Several steps may run at the same time
//! (`running_steps`), but only the drive writes to the ledger. It also extends the steps' leases
//! and stops a step whose claim has ended. Programs receive their claim in environment variables
//! (`Machine::start_claimed`).

mod attempt_result;
mod drive_pause;
mod drive_text;
mod log_watch;
mod running_steps;
mod step_attempt;
mod tried_gates;
mod worker_stats;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::task::LocalSet;
use windlass_engine::{Stop, StopLevel};
use windlass_formula::CookedFormula;
use windlass_ledger::{Claim, ClaimedStep, Doer, Draft, LedgerError, MolStep, Molecule};
use windlass_plan::Outcome;

use crate::Molecules;
use crate::drains::Drains;
use crate::gate_needs::GateView;
use crate::machine::{Machine, runbook_of};
use drive_pause::WaitState;
use drive_text::wait;
use log_watch::LogWatch;
use running_steps::RunningSteps;
use step_attempt::StepAttempt;
use windlass_site::Error;
pub use worker_stats::WorkerStats;
use worker_stats::{add, set};

/// Report of a drive.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// The molecule's id.
    pub mol_id: String,
    /// Actions taken, in order.
    pub done: Vec<DrivenStep>,
    /// Events the molecule is still waiting for. Empty once the molecule is completed or closed.
    pub waits: Vec<MolWait>,
    /// The molecule's outcome; absent until it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// True if a program wasn't allowed to start.
    pub refused: bool,
}

/// An action of a drive.
#[derive(Debug, Clone, Serialize)]
pub struct DrivenStep {
    /// The step's name.
    pub step_id: String,
    /// Result, such as `completed`, `failed` or `gate opened`.
    pub what: String,
}

/// An event that a molecule is waiting for.
#[derive(Debug, Clone, Serialize)]
pub struct MolWait {
    /// The step's name.
    pub step_id: String,
    /// Description of the awaited event.
    pub waits_for: String,
}

/// Options of a drive.
#[derive(Clone, Copy)]
pub struct DriveOptions<'a> {
    /// True to start untrusted programs too.
    pub allow_commands: bool,
    /// Events to wait for.
    pub patience: Patience,
    /// Signal for stopping the drive. At [`StopLevel::Drain`], it claims nothing more and lets
    /// running steps end. At the levels above, it stops and releases them.
    pub stop: &'a Stop,
    /// Time for running steps to end after [`StopLevel::Drain`].
    pub drain: Duration,
    /// This machine's labels. Steps that need others are left to other machines.
    pub labels: &'a [String],
    /// Maximum number of steps running at the same time.
    pub jobs: NonZeroUsize,
    /// Lease of a claim without a heartbeat, in milliseconds; the molecule's setting if absent.
    pub lease_ms: Option<u64>,
    /// Upper limit for the molecule's setting, if that is used.
    pub max_lease_ms: Option<u64>,
    /// The drive's counts.
    pub stats: &'a Arc<WorkerStats>,
    /// Callback for each failure that the drive survives.
    pub trouble: &'a dyn Fn(&str),
    /// Callback for the current waits, before a pause of more than a second.
    pub waiting: &'a dyn Fn(&[MolWait]),
}

/// Events to wait for during a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// The drive doesn't wait.
    None,
    /// Waits for events that need no person, such as retries, timers and steps on other machines.
    Machine,
    /// Waits while a step may still be running, on this machine or on another.
    Steps,
    /// Waits for all events until the drive is stopped.
    Endless,
}

/// Pauses, in seconds, between attempts to record a program's result while the shared ledger can't
/// be reached.
const OUTAGE_PAUSES: [u64; 7] = [1, 2, 4, 8, 16, 32, 60];
/// Pause of a worker after the shared ledger couldn't be reached.
const AFTER_OUTAGE: Duration = Duration::from_secs(5);

/// True if the shared ledger couldn't be reached or was busy, so that another attempt may succeed
/// without any change.
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

/// A molecule's drive, between its rounds.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Steps being run by this drive.
    running: BTreeSet<String>,
    /// Gate programs that have run since the last pause. Each runs only once between pauses.
    asked: BTreeSet<String>,
    /// Reasons why steps were released, by step. We don't claim these steps again.
    why: BTreeMap<String, String>,
    /// Number of these reasons already reported.
    known: usize,
    /// True if the programs were trusted at the last check.
    was_trusted: bool,
    /// Reasons why gates stay closed, by step.
    closed: BTreeMap<String, String>,
    refused: bool,
}

/// A molecule being driven, with its formula and its programs.
struct DriveContext<'a> {
    machine: &'a Arc<Machine>,
    molecule: &'a Arc<Molecule>,
    cooked: &'a Arc<CookedFormula>,
}

impl Drive {
    fn did(&mut self, step: &str, what: impl Into<String>) {
        self.done.push(DrivenStep {
            step_id: step.to_owned(),
            what: what.into(),
        });
    }

    /// True if there is something new to report.
    fn has_news(&self) -> bool {
        !self.done.is_empty() || self.why.len() > self.known
    }

    /// Drops everything already reported. Steps that were put back aren't claimed again.
    fn forget_news(&mut self) {
        self.done.clear();
        self.known = self.why.len();
    }

    /// Lets gate programs run again.
    fn ask_again(&mut self) {
        self.asked.clear();
        self.closed.clear();
    }

    /// Clears earlier refusals if the molecule has become trusted, so that its steps are tried
    /// again.
    fn update_trust(&mut self, is_trusted: bool) {
        if is_trusted && !self.was_trusted {
            self.why.clear();
            self.known = 0;
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
    /// Writes a decision based on program output. Secrets in the output are redacted.
    fn decide<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide_redacted(work)
    }

    /// Records the result of a program that has ended. While the shared ledger cannot be reached, tries again for about
    /// two minutes, because the result would otherwise be lost, and extends the leases of the running steps.
    async fn record<T>(
        &mut self,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
        mut work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        for seconds in OUTAGE_PAUSES {
            match self.decide(&mut work) {
                Err(error) if is_outage(&error) && options.stop.level() < StopLevel::Cancel => {
                    let stopped = options.stop.beyond(StopLevel::Drain);
                    let pause = tokio::time::timeout(Duration::from_secs(seconds), stopped);
                    let _ = self.holding(running, options, pause).await;
                }
                done => return done,
            }
        }
        self.decide(work)
    }

    /// Drives a molecule and waits for events according to `options`.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist, or if the ledger can't be read or written.
    /// Failures of steps are part of the report.
    pub async fn one(
        &mut self,
        mol: &str,
        options: DriveOptions<'_>,
    ) -> Result<DriveReport, Error> {
        let id = self.molecules.id(Some(mol))?;
        self.molecules.session.actor()?;
        let (mut drives, mut unreported) = (BTreeMap::new(), |_: &DriveReport| {});
        let work = self.work(Some(&id), options, &mut drives, &mut unreported);
        LocalSet::new().run_until(work).await?;
        let drive = drives.remove(&id).unwrap_or_default();
        self.report(&id, &drive, options)
    }

    /// Drives all open molecules, including ones poured later, until stopped. Calls `on_report` for
    /// each molecule in which something was done.
    ///
    /// # Errors
    /// Returns an error if the caller has no actor name, or if the ledger can't be read or written.
    pub async fn all(
        &mut self,
        options: DriveOptions<'_>,
        on_report: &mut dyn FnMut(&DriveReport),
    ) -> Result<(), Error> {
        self.molecules.session.actor()?;
        let mut drives = BTreeMap::new();
        let work = self.work(None, options, &mut drives, on_report);
        LocalSet::new().run_until(work).await
    }

    /// Drives the molecule `only`, or all open ones.
    async fn work(
        &mut self,
        only: Option<&str>,
        options: DriveOptions<'_>,
        drives: &mut BTreeMap<String, Drive>,
        on_report: &mut dyn FnMut(&DriveReport),
    ) -> Result<(), Error> {
        let mut running = RunningSteps::new(options.jobs);
        let mut watch = None;
        let mut waits = WaitState::default();
        // A molecule that cannot be driven does not end a worker.
        let ends = |error: &Error, running: &RunningSteps| {
            only.is_some() && !survives(error, options.patience, running.is_empty())
        };
        loop {
            let is_stopped = options.stop.level() > StopLevel::None;
            let ids = match only {
                Some(only) => vec![only.to_owned()],
                None => self.molecules.open(None)?,
            };
            set(&options.stats.open_molecules, ids.len() as u64);
            let mut pause = only.is_none().then_some(drive_pause::MAX_PAUSE);
            for id in &ids {
                let drive = drives.entry(id.clone()).or_default();
                let advanced = self.advance(id, options, drive, &mut running).await;
                match advanced.and_then(|()| self.pause(id, drive, options)) {
                    Err(error) if ends(&error, &running) => return Err(error),
                    Err(error) => {
                        pause = earliest(pause, Some(AFTER_OUTAGE));
                        waits.trouble(format!("{id}: {error}"), options);
                    }
                    Ok(next) => pause = earliest(pause, next),
                }
            }
            for (id, drive) in drives.iter_mut().filter(|_| only.is_none()) {
                if drive.has_news() {
                    on_report(&self.report(id, drive, options)?);
                    drive.forget_news();
                }
            }
            drives.retain(|id, _| ids.contains(id) || running.is_in(id));
            if running.is_empty() && (is_stopped || pause.is_none()) {
                return Ok(());
            }
            if let (Some(id), Some(drive)) = (only, only.and_then(|id| drives.get(id)))
                && running.is_empty()
                && pause.is_some_and(|pause| pause > Duration::from_secs(1))
            {
                waits.announce(&self.waits(id, drive, options)?, options);
            }
            let watch =
                watch.get_or_insert_with(|| LogWatch::start(self.molecules.session, options.stats));
            let pause = pause.unwrap_or(drive_pause::MAX_PAUSE);
            let ended = self.wait(pause, watch, &mut running, &mut waits, options);
            match ended.await? {
                Some((held, found)) => {
                    let id = held.claimed.proof.mol.clone();
                    let drive = drives.entry(id.clone()).or_default();
                    let done = self.finish(&held, found, drive, &mut running, options);
                    match done.await {
                        Err(error) if ends(&error, &running) => return Err(error),
                        Err(error) => waits.trouble(format!("{id}: {error}"), options),
                        Ok(()) => {}
                    }
                }
                None => drives.values_mut().for_each(Drive::ask_again),
            }
        }
    }

    /// Starts everything in a molecule that can start now, without waiting for it.
    async fn advance(
        &mut self,
        id: &str,
        options: DriveOptions<'_>,
        drive: &mut Drive,
        running: &mut RunningSteps,
    ) -> Result<(), Error> {
        if options.stop.level() > StopLevel::None {
            return Ok(());
        }
        self.molecules.session.report_when_done(id);
        loop {
            self.molecules.settle_if_due(id)?;
            for step in Drains(&mut self.molecules).perform(id)? {
                drive.did(&step, "drained");
            }
            let molecule = self.molecules.get(Some(id), None)?;
            if !molecule.is_open() || !has_work(&molecule, options) {
                return Ok(());
            }
            let cooked = self.molecules.formula_of(id)?;
            let runs = self.molecules.service.runs();
            let machine = Machine::new(runs, id, &cooked, options.allow_commands)?;
            if !drive.why.is_empty() {
                let runbook = runbook_of(id, &cooked)?;
                drive.update_trust(self.molecules.service.is_trusted(&runbook).unwrap_or(false));
            }
            let context = DriveContext {
                machine: &Arc::new(machine),
                molecule: &Arc::new(molecule),
                cooked: &Arc::new(cooked),
            };
            let moved = self.try_gates(&context, drive, running, options).await?
                || self.try_step(&context, drive, running, options)?;
            if !moved || options.stop.level() > StopLevel::None {
                return Ok(());
            }
        }
    }

    /// Returns the events a molecule is waiting for.
    fn waits(
        &mut self,
        id: &str,
        drive: &Drive,
        options: DriveOptions<'_>,
    ) -> Result<Vec<MolWait>, Error> {
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
        let steps = steps.filter(|step| !drive.running.contains(&step.id));
        let waits = steps.filter_map(|step| wait(&view, step, &why, options.labels));
        Ok(waits.collect())
    }

    fn report(
        &mut self,
        id: &str,
        drive: &Drive,
        options: DriveOptions<'_>,
    ) -> Result<DriveReport, Error> {
        Ok(DriveReport {
            waits: self.waits(id, drive, options)?,
            outcome: self.molecules.get(Some(id), None)?.outcome,
            done: drive.done.clone(),
            refused: drive.refused,
            mol_id: id.to_owned(),
        })
    }

    /// Claims and starts the next machine step. Returns true if there was one.
    fn try_step(
        &mut self,
        context: &DriveContext<'_>,
        drive: &mut Drive,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<bool, Error> {
        let molecule = context.molecule;
        let mut steps = molecule.steps.iter().zip(&context.cooked.steps);
        let next = steps.position(|(step, asked)| {
            let is_next = is_for_machine(molecule, step, options);
            let is_here = drive.running.contains(&step.id) || drive.why.contains_key(&step.id);
            is_next && asked.drain.is_none() && !is_here
        });
        let Some(at) = next.filter(|_| running.has_room()) else {
            return Ok(false);
        };
        let max = options.max_lease_ms.unwrap_or(u64::MAX);
        let lease_ms = options.lease_ms.unwrap_or(molecule.lease_ms.min(max));
        let now = self.elapsed();
        let Some(claimed) = self.claim(molecule, &molecule.steps[at], lease_ms)? else {
            return Ok(true);
        };
        add(&options.stats.claims);
        drive.running.insert(claimed.proof.step.clone());
        let attempt = StepAttempt {
            site: self.molecules.service.site().clone(),
            machine: Arc::clone(context.machine),
            molecule: Arc::clone(molecule),
            cooked: Arc::clone(context.cooked),
            at,
            claimed,
            stop: Stop::default(),
        };
        running.start(attempt, lease_ms, now);
        set(&options.stats.running, running.count());
        Ok(true)
    }

    /// Claims a step for the machine. Returns `None` if another machine was faster.
    fn claim(
        &mut self,
        molecule: &Molecule,
        step: &MolStep,
        lease_ms: u64,
    ) -> Result<Option<ClaimedStep>, Error> {
        let world = self.molecules.session.world();
        let claim = Claim {
            mol: Some(molecule.id.clone()),
            step: Some(step.id.clone()),
            lease_ms: Some(lease_ms),
            machine: true,
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
}

/// True if the drive of a molecule goes on after `error`. It survives an outage if it waits for all steps, or while steps
/// run, because their programs would be killed and their leases would stay held.
fn survives(error: &Error, patience: Patience, is_idle: bool) -> bool {
    let waits = matches!(patience, Patience::Steps | Patience::Endless);
    is_outage(error) && (waits || !is_idle)
}

/// True if the machine may run `step` now.
fn is_for_machine(molecule: &Molecule, step: &MolStep, options: DriveOptions<'_>) -> bool {
    step.doer == Doer::Machine && step.runs_with(options.labels) && molecule.may_begin(step)
}

/// True if a step or a gate of the molecule may be for this machine. Only then do we read the
/// formula.
fn has_work(molecule: &Molecule, options: DriveOptions<'_>) -> bool {
    let mut steps = molecule.steps.iter();
    steps.any(|step| {
        is_for_machine(molecule, step, options)
            || (step.waits_at_gates() && step.runs_with(options.labels))
    })
}

fn earliest(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outage_survived_while_steps_run_or_may_run() {
        let outage = || Error::from(LedgerError::Contended(3));
        let of = |patience| [true, false].map(|is_idle| survives(&outage(), patience, is_idle));
        assert_eq!(of(Patience::None), [false, true]);
        assert_eq!(of(Patience::Machine), [false, true]);
        assert_eq!(of(Patience::Steps), [true, true]);
        assert_eq!(of(Patience::Endless), [true, true]);
        let other = Error::internal("a defect");
        assert!(!survives(&other, Patience::Endless, false));
    }

    #[test]
    fn refusal_cleared_once_trusted() {
        let mut drive = Drive::default();
        let mut refused_after = |is_trusted| {
            drive.update_trust(is_trusted);
            let is_refused = !drive.why.is_empty();
            // Another attempt without trust is refused again.
            drive.why.insert("test".to_owned(), "trust".to_owned());
            is_refused
        };
        refused_after(false);
        let looks = [false, true, true, false, true].map(&mut refused_after);
        assert_eq!(looks, [true, false, true, true, false]);
    }
}
