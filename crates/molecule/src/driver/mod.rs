//! Runs the machine steps of molecules, including retries and timers, until all that's left is work
//! for others.
//!
//! We call such a run a drive. It can drive a single molecule, or serve as a worker and drive all
//! of them until it's stopped.
//!
//! A drive can wait for everything that ends without a person: retries, timers, steps on other
//! machines, gate programs with a timeout. Several steps may run at the same time (see
//! `running_steps`), but only the drive itself writes to the ledger. It also extends the leases of
//! its running steps, and stops a step whose claim has ended. Programs find their claim in
//! environment variables, which are set in `Machine::start_claimed`.

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
use crate::machine::{Machine, load_named, runbook_of};
use drive_pause::WaitState;
use drive_text::wait;
use log_watch::LogWatch;
use running_steps::RunningSteps;
use step_attempt::StepAttempt;
use windlass_site::Error;
pub use worker_stats::WorkerStats;
use worker_stats::{add, set};

/// The result of driving a molecule.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// The molecule's ID.
    pub mol_id: String,
    /// The drive's actions, in order.
    pub done: Vec<DrivenStep>,
    /// Reasons why the molecule has not ended. This is empty for a completed or closed molecule.
    pub waits: Vec<MolWait>,
    /// The outcome, or `None` until the molecule has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// True if a program was not allowed to start, usually because the user has not trusted the
    /// runbook yet.
    pub refused: bool,
}

/// An action of a drive.
#[derive(Debug, Clone, Serialize)]
pub struct DrivenStep {
    /// The step's name.
    pub step_id: String,
    /// The result, e.g. `completed`, `failed: ...` or `gate opened`.
    pub what: String,
}

/// A step that keeps a molecule waiting, and the reason.
#[derive(Debug, Clone, Serialize)]
pub struct MolWait {
    /// The waiting step.
    pub step_id: String,
    /// A description for the user, usually with a command.
    pub waits_for: String,
}

/// Options of a drive.
#[derive(Clone, Copy)]
pub struct DriveOptions<'a> {
    /// If true, untrusted programs are started as well.
    pub allow_commands: bool,
    /// The events to wait for.
    pub patience: Patience,
    /// Stops the drive. At [`StopLevel::Drain`], we don't claim any more steps but let the running
    /// ones end; at higher levels, we stop and release those too.
    pub stop: &'a Stop,
    /// The time for running steps to end after [`StopLevel::Drain`].
    pub drain: Duration,
    /// This machine's labels. A step that needs others is left to the machines that have them.
    pub labels: &'a [String],
    /// The maximum number of concurrent steps.
    pub jobs: NonZeroUsize,
    /// Lease of our claims in milliseconds, or `None` to use the molecule's own lease.
    pub lease_ms: Option<u64>,
    /// Upper limit for the molecule's own lease, in milliseconds. It doesn't apply to `lease_ms`.
    pub max_lease_ms: Option<u64>,
    /// Statistics, updated during the drive.
    pub stats: &'a Arc<WorkerStats>,
    /// Called for each failure that doesn't end the drive, e.g. an outage of the shared ledger.
    pub trouble: &'a dyn Fn(&str),
    /// Called before a pause of more than a second, with the reasons for the wait.
    pub waiting: &'a dyn Fn(&[MolWait]),
}

/// The events a drive waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Nothing. The drive ends once there's no step left that it could start.
    None,
    /// Everything that ends without a person, e.g. retries, timers and steps on other machines.
    Machine,
    /// Like `Machine`, but the drive also goes on as long as a machine step may still run, even if
    /// there's no deadline for that.
    Steps,
    /// Everything, until the drive is stopped.
    Endless,
}

/// Pauses in seconds between attempts to record a program's result, while the shared ledger is
/// unreachable. They add up to about two minutes.
const OUTAGE_PAUSES: [u64; 7] = [1, 2, 4, 8, 16, 32, 60];
const AFTER_OUTAGE: Duration = Duration::from_secs(5);

/// True if the shared ledger was unreachable or busy, so that the same call may succeed later
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

/// The state of a molecule's drive between rounds.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Names of the steps that run on this machine.
    running: BTreeSet<String>,
    /// Gates whose programs have run since the last pause. Without this, we would run all of these
    /// programs again after every single step that we start.
    asked: BTreeSet<String>,
    /// Steps that we released, or couldn't load, with the reasons. We don't claim them again in
    /// this drive.
    why: BTreeMap<String, String>,
    /// The size of `why` at the last report, which tells us if there's a reason we have not
    /// reported.
    known: usize,
    /// True if the user trusted the programs when we last checked.
    was_trusted: bool,
    closed: BTreeMap<String, String>,
    refused: bool,
}

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

    fn has_news(&self) -> bool {
        !self.done.is_empty() || self.why.len() > self.known
    }

    /// Drops what has been reported. The reasons in `why` stay, because those steps must not be
    /// claimed again.
    fn forget_news(&mut self) {
        self.done.clear();
        self.known = self.why.len();
    }

    fn ask_again(&mut self) {
        self.asked.clear();
        self.closed.clear();
    }

    /// Once the user trusts the molecule's programs, we give refused steps another chance. Only the
    /// change counts: as long as trust stays the same, a step that we gave up for another reason
    /// would only fail again.
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
    /// Prepares a drive of these molecules.
    #[must_use]
    pub fn driver<'d>(&'d mut self, options: DriveOptions<'d>) -> Driver<'d> {
        Driver {
            molecules: self.reborrowed(),
            running: RunningSteps::new(options.jobs),
            options,
        }
    }
}

/// Runs machine steps and gate programs.
pub struct Driver<'a> {
    molecules: Molecules<'a>,
    options: DriveOptions<'a>,
    running: RunningSteps,
}

impl Driver<'_> {
    /// Writes a decision that may contain output of a program, which is why secrets are redacted.
    fn decide<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.molecules.session.decide_redacted(work)
    }

    /// Records the result of a program that has ended.
    ///
    /// If this failed, the result would be lost and the program would have to run again. So if the
    /// shared ledger is unreachable, we try again for about two minutes, unless the user cancels.
    /// Meanwhile, we keep extending the leases of the other running steps.
    async fn record<T>(
        &mut self,
        mut work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        for seconds in OUTAGE_PAUSES {
            match self.decide(&mut work) {
                Err(error)
                    if is_outage(&error) && self.options.stop.level() < StopLevel::Cancel =>
                {
                    let stopped = self.options.stop.beyond(StopLevel::Drain);
                    let pause = tokio::time::timeout(Duration::from_secs(seconds), stopped);
                    let _ = self.holding(pause).await;
                }
                done => return done,
            }
        }
        self.decide(work)
    }

    /// Drives a molecule, and waits for the events in the options.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist, or if the ledger can't be read or written.
    /// Failures of steps are part of the report.
    pub async fn one(&mut self, mol: &str) -> Result<DriveReport, Error> {
        let id = self.molecules.id(Some(mol))?;
        self.molecules.session.actor()?;
        let (mut drives, mut unreported) = (BTreeMap::new(), |_: &DriveReport| {});
        let work = self.work(Some(&id), &mut drives, &mut unreported);
        LocalSet::new().run_until(work).await?;
        let drive = drives.remove(&id).unwrap_or_default();
        self.report(&id, &drive)
    }

    /// Drives all open molecules until stopped, including those poured later. Calls `on_report` for
    /// each molecule with any action.
    ///
    /// # Errors
    /// Returns an error if the caller doesn't have an actor name, or the ledger can't be read or
    /// written.
    pub async fn all(&mut self, on_report: &mut dyn FnMut(&DriveReport)) -> Result<(), Error> {
        self.molecules.session.actor()?;
        let mut drives = BTreeMap::new();
        let work = self.work(None, &mut drives, on_report);
        LocalSet::new().run_until(work).await
    }

    async fn work(
        &mut self,
        only: Option<&str>,
        drives: &mut BTreeMap<String, Drive>,
        on_report: &mut dyn FnMut(&DriveReport),
    ) -> Result<(), Error> {
        let mut watch = None;
        let mut waits = WaitState::default();
        // If one molecule can't be driven, a worker still goes on with the others.
        let patience = self.options.patience;
        let ends =
            |error: &Error, is_idle: bool| only.is_some() && !survives(error, patience, is_idle);
        loop {
            // Look for open molecules in each round, since a worker also drives the ones that are
            // poured while it runs.
            let is_stopped = self.options.stop.level() > StopLevel::None;
            let ids = match only {
                Some(only) => vec![only.to_owned()],
                None => self.molecules.open(None)?,
            };
            set(&self.options.stats.open_molecules, ids.len() as u64);
            // A worker never runs out of patience. The drive of a single molecule ends if there's
            // no pause, i.e. nothing to wait for.
            let mut pause = only.is_none().then_some(drive_pause::MAX_PAUSE);
            for id in &ids {
                let drive = drives.entry(id.clone()).or_default();
                let advanced = self.advance(id, drive).await;
                match advanced.and_then(|()| self.pause(id, drive)) {
                    Err(error) if ends(&error, self.running.is_empty()) => return Err(error),
                    Err(error) => {
                        pause = earliest(pause, Some(AFTER_OUTAGE));
                        waits.trouble(format!("{id}: {error}"), self.options);
                    }
                    Ok(next) => pause = earliest(pause, next),
                }
            }
            for (id, drive) in drives.iter_mut().filter(|_| only.is_none()) {
                if drive.has_news() {
                    on_report(&self.report(id, drive)?);
                    drive.forget_news();
                }
            }
            // A molecule that's closed while one of its steps runs is no longer open, but we still
            // need its drive to take the step's result.
            drives.retain(|id, _| ids.contains(id) || self.running.is_in(id));
            if self.running.is_empty() && (is_stopped || pause.is_none()) {
                return Ok(());
            }
            if let (Some(id), Some(drive)) = (only, only.and_then(|id| drives.get(id)))
                && self.running.is_empty()
                // Don't bother the user with waits that are over in a moment.
                && pause.is_some_and(|pause| pause > Duration::from_secs(1))
            {
                waits.announce(&self.waits(id, drive)?, self.options);
            }
            let watch = watch
                .get_or_insert_with(|| LogWatch::start(self.molecules.session, self.options.stats));
            let pause = pause.unwrap_or(drive_pause::MAX_PAUSE);
            let ended = self.wait(pause, watch, &mut waits);
            match ended.await? {
                Some((held, found)) => {
                    let id = held.claimed.proof.mol.clone();
                    let drive = drives.entry(id.clone()).or_default();
                    let done = self.finish(&held, found, drive);
                    match done.await {
                        Err(error) if ends(&error, self.running.is_empty()) => return Err(error),
                        Err(error) => waits.trouble(format!("{id}: {error}"), self.options),
                        Ok(()) => {}
                    }
                }
                // Nothing ended during the pause. By now, gate programs might give another answer.
                None => drives.values_mut().for_each(Drive::ask_again),
            }
        }
    }

    /// Starts all steps of a molecule that can be started. This doesn't wait for them to end, but
    /// it does wait for gate programs.
    async fn advance(&mut self, id: &str, drive: &mut Drive) -> Result<(), Error> {
        if self.options.stop.level() > StopLevel::None {
            return Ok(());
        }
        self.molecules.session.report_when_done(id);
        loop {
            self.molecules.settle_if_due(id)?;
            for step in Drains(&mut self.molecules).perform(id)? {
                drive.did(&step, "drained");
            }
            let molecule = self.molecules.get(Some(id), None)?;
            if !molecule.is_open() || !has_work(&molecule, self.options) {
                return Ok(());
            }
            let cooked = self.molecules.formula_of(id)?;
            let runs = self.molecules.service.runs();
            let machine = Machine::new(runs, id, &cooked, self.options.allow_commands)?;
            // Trust only matters if we gave up on a step, so don't look it up otherwise.
            if !drive.why.is_empty() {
                let runbook = runbook_of(id, &cooked)?;
                drive.update_trust(self.molecules.service.is_trusted(&runbook).unwrap_or(false));
            }
            let context = DriveContext {
                machine: &Arc::new(machine),
                molecule: &Arc::new(molecule),
                cooked: &Arc::new(cooked),
            };
            // Every step that we start or gate that opens may make others ready, so start over
            // after each.
            let moved = self.try_gates(&context, drive).await? || self.try_step(&context, drive)?;
            if !moved || self.options.stop.level() > StopLevel::None {
                return Ok(());
            }
        }
    }

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
        // The drive knows more about these steps than the ledger does, e.g. why a program was
        // refused.
        let mut why = drive.why.clone();
        why.extend(drive.closed.clone());
        let steps = molecule.steps.iter();
        let steps = steps.filter(|step| !drive.running.contains(&step.id));
        let waits = steps.filter_map(|step| wait(&view, step, &why, self.options.labels));
        Ok(waits.collect())
    }

    fn report(&mut self, id: &str, drive: &Drive) -> Result<DriveReport, Error> {
        Ok(DriveReport {
            waits: self.waits(id, drive)?,
            outcome: self.molecules.get(Some(id), None)?.outcome,
            done: drive.done.clone(),
            refused: drive.refused,
            mol_id: id.to_owned(),
        })
    }

    /// Claims and starts the next machine step, if any. If this returns true, the caller should try
    /// again, even though the step may have turned out to be unloadable or taken.
    fn try_step(&mut self, context: &DriveContext<'_>, drive: &mut Drive) -> Result<bool, Error> {
        let molecule = context.molecule;
        let mut steps = molecule.steps.iter().zip(&context.cooked.steps);
        let next = steps.position(|(step, asked)| {
            let is_next = is_for_machine(molecule, step, self.options);
            let is_here = drive.running.contains(&step.id) || drive.why.contains_key(&step.id);
            is_next && asked.drain.is_none() && !is_here
        });
        let Some(at) = next.filter(|_| self.running.has_room()) else {
            return Ok(false);
        };
        let (mut loaded, asked) = (Arc::clone(molecule), &context.cooked.steps[at]);
        if molecule
            .steps
            .iter()
            .any(|step| step.output.stored().is_some())
        {
            let world = self.molecules.session.world();
            // Large outputs are stored in files. Load the ones that this step refers to before
            // claiming it: if one is missing, the step can't run here, and others may still be able
            // to run it.
            if let Err(error) = load_named(Arc::make_mut(&mut loaded), asked, &world) {
                drive.why.insert(asked.id.clone(), error.to_string());
                return Ok(true);
            }
        }
        let max = self.options.max_lease_ms.unwrap_or(u64::MAX);
        let lease_ms = self.options.lease_ms.unwrap_or(molecule.lease_ms.min(max));
        // Take the time before the claim. If claiming is slow, we'd rather extend the lease too
        // early than too late.
        let now = self.elapsed();
        let Some(claimed) = self.claim(molecule, &molecule.steps[at], lease_ms)? else {
            return Ok(true);
        };
        add(&self.options.stats.claims);
        drive.running.insert(claimed.proof.step.clone());
        let attempt = StepAttempt {
            site: self.molecules.service.site().clone(),
            machine: Arc::clone(context.machine),
            molecule: loaded,
            cooked: Arc::clone(context.cooked),
            at,
            claimed,
            stop: Stop::default(),
        };
        self.running.start(attempt, lease_ms, now);
        set(&self.options.stats.running, self.running.count());
        Ok(true)
    }

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
            // Another machine was faster, or the step isn't ready any more. Neither is an error.
            Err(error) if error.is(is_gone) => Ok(None),
            claimed => claimed.map(Some),
        }
    }
}

/// True if the drive of a molecule should go on after `error`.
///
/// While steps are running, the drive has to survive an outage, because ending it would kill their
/// programs and leave their leases behind. With [`Patience::Steps`] or [`Patience::Endless`], it
/// survives an outage in any case.
fn survives(error: &Error, patience: Patience, is_idle: bool) -> bool {
    let waits = matches!(patience, Patience::Steps | Patience::Endless);
    is_outage(error) && (waits || !is_idle)
}

fn is_for_machine(molecule: &Molecule, step: &MolStep, options: DriveOptions<'_>) -> bool {
    step.doer == Doer::Machine && step.runs_with(options.labels) && molecule.may_begin(step)
}

/// True if this machine might have something to do for the molecule. We only look at the state
/// here: a worker sees many molecules in each round, and it shouldn't have to load the formulas of
/// those that wait for people.
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
            // Without trust, another attempt is refused again.
            drive.why.insert("test".to_owned(), "trust".to_owned());
            is_refused
        };
        refused_after(false);
        let looks = [false, true, true, false, true].map(&mut refused_after);
        assert_eq!(looks, [true, false, true, true, false]);
    }
}
