//! Pauses of a drive, until a deadline, a write to the log, the end of a step, or a stop.

use std::collections::BTreeSet;
use std::time::Duration;

use windlass_engine::StopLevel;
use windlass_ledger::{Doer, MolStep, Stamp};
use windlass_plan::Status;

use super::log_watch::LogWatch;
use super::running_steps::{HeldStep, RunningSteps};
use super::step_attempt::Found;
use super::worker_stats::{WorkerStats, set};
use super::{AFTER_OUTAGE, Drive, DriveOptions, Driver, MolWait, Patience};
use crate::gate_needs::GateView;
use windlass_site::Error;

/// Maximum interval between runs of a gate program.
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Maximum number of failures to remember, so that each is reported once.
const MAX_TROUBLES: usize = 64;

/// Memory of a drive between its pauses.
#[derive(Debug, Default)]
pub(super) struct WaitState {
    /// Steps whose waits have been announced.
    announced: Vec<String>,
    /// Failures already reported.
    troubles: BTreeSet<String>,
    /// Level of the stop signal passed on to running steps.
    stopped: StopLevel,
    /// Time at which the drive began to let running steps end.
    draining_since: Option<Duration>,
}

impl WaitState {
    /// Announces the molecule's waits, if they have changed.
    pub(super) fn announce(&mut self, waits: &[MolWait], options: DriveOptions<'_>) {
        let steps: Vec<String> = waits.iter().map(|wait| wait.step_id.clone()).collect();
        if steps != self.announced {
            (options.waiting)(waits);
            self.announced = steps;
        }
    }

    /// Reports a failure survived by the drive, once.
    pub(super) fn trouble(&mut self, text: String, options: DriveOptions<'_>) {
        if self.troubles.len() >= MAX_TROUBLES {
            self.troubles.clear();
        }
        if !self.troubles.contains(&text) {
            (options.trouble)(&text);
            self.troubles.insert(text);
        }
    }
}

impl Driver<'_> {
    /// Returns the time until the molecule must be checked again. Returns `None` if the molecule
    /// has ended, or if there's only work for people left.
    pub(super) fn pause(
        &self,
        id: &str,
        drive: &Drive,
        options: DriveOptions<'_>,
    ) -> Result<Option<Duration>, Error> {
        let is_stopped = options.stop.level() > StopLevel::None;
        let molecule = self.molecules.session.state().molecule(id);
        let open = molecule.filter(|molecule| molecule.is_open() && !is_stopped);
        let (Some(molecule), true) = (open, options.patience != Patience::None) else {
            return Ok(None);
        };
        let (clock, world) = (
            self.molecules.session.log_clock(),
            self.molecules.session.world(),
        );
        let now = clock.now().unwrap_or_else(|| self.molecules.session.now());
        let cooked = self.molecules.formula_of(id)?;
        let view = GateView {
            state: self.molecules.session.state(),
            world: &world,
            molecule: &molecule,
            cooked: Some(&cooked),
            now,
        };
        let mut pause: Option<Duration> = None;
        let mut until = |at: Stamp, most: Duration| {
            let left = u64::try_from(at.since(now)).unwrap_or(0);
            // A deadline only counts as passed after its exact time, so wait a millisecond longer.
            let left = Duration::from_micros(left) + Duration::from_millis(1);
            pause = Some(pause.map_or(left, |pause| pause.min(left)).min(most));
        };
        for step in molecule.steps.iter().filter(|_| !molecule.is_waiting()) {
            match step.status_now() {
                // Another machine's claim ends when its step ends, its lease expires or the attempt
                // times out.
                Status::InProgress if step.doer == Doer::Machine => {
                    let ends = [step.lease_end(now), step.times_out_at(now)];
                    for at in ends.into_iter().flatten() {
                        until(at, Duration::MAX);
                    }
                }
                Status::Blocked => {
                    if let Some(at) = step.retry_due(now) {
                        until(at, Duration::MAX);
                    }
                }
                _ => {
                    let needs = view.needs(step);
                    if needs.iter().all(|need| need.by_machine) {
                        for need in needs {
                            let most = if need.is_program {
                                MAX_PAUSE
                            } else {
                                Duration::MAX
                            };
                            if let Some(at) = need.opens_at {
                                until(at, most);
                            }
                        }
                    }
                }
            }
        }
        // When the caller's clock is confirmed, the log's time jumps, and deadlines may pass at
        // once.
        let actor = self.molecules.session.actor().unwrap_or_default();
        if let Some(left) = clock.confirmed_in(actor) {
            let left = left + Duration::from_millis(1);
            pause = pause.map(|pause| pause.min(left));
        }
        let may_run = |step: &MolStep| {
            let is_for_machine = step.doer == Doer::Machine && !drive.why.contains_key(&step.id);
            is_for_machine && matches!(step.shown(), Status::Ready | Status::InProgress)
        };
        Ok(match options.patience {
            Patience::Steps if molecule.steps.iter().any(may_run) => {
                Some(pause.unwrap_or(MAX_PAUSE).min(MAX_PAUSE))
            }
            Patience::Endless => Some(pause.unwrap_or(MAX_PAUSE).min(MAX_PAUSE)),
            _ => pause,
        })
    }

    /// Waits until `pause` has passed, another process writes to the log, `stop` is raised or a
    /// step ends. Extends the leases of running steps meanwhile. Returns the step that has ended.
    pub(super) async fn wait(
        &mut self,
        pause: Duration,
        watch: &LogWatch,
        running: &mut RunningSteps,
        waits: &mut WaitState,
        options: DriveOptions<'_>,
    ) -> Result<Option<(HeldStep, Found)>, Error> {
        let pause = match options.stats.is_behind() {
            true => pause.min(AFTER_OUTAGE),
            false => pause,
        };
        let until = self.elapsed().saturating_add(pause);
        let (mut ended, mut has_moved) = (None, false);
        while ended.is_none() {
            let limit = self.pass_stop_on(running, waits, options);
            let left = until.saturating_sub(self.elapsed());
            let is_stopping = waits.stopped > StopLevel::None;
            if left.is_zero() || (is_stopping && running.is_empty()) {
                break;
            }
            let pause = limit.map_or(left, |limit| limit.min(left));
            let due = self.lease_pause(running);
            tokio::select! {
                next = running.next() => ended = Some(next),
                _ = options.stop.beyond(waits.stopped) => {}
                () = tokio::time::sleep(pause) => {}
                () = tokio::time::sleep(due) => self.extend_leases(running, options),
                () = watch.changed() => {
                    has_moved = watch.take_moved();
                    if has_moved || self.molecules.session.sharing().has_grown_here() {
                        break;
                    }
                }
            }
        }
        set(&options.stats.running, running.count());
        self.update_position(options.stats);
        // A pull that could not reach the shared log is repeated in each round, because the log reports a move once.
        if has_moved || options.stats.is_behind() {
            self.molecules.session.sharing().pull()?;
        }
        if self.molecules.session.sharing().has_grown_here() {
            self.molecules.session.follow_others()?;
        }
        self.update_position(options.stats);
        Ok(ended)
    }

    fn update_position(&mut self, stats: &WorkerStats) {
        if let Some(position) = self.molecules.session.sharing().position() {
            set(&stats.position, position);
        }
    }

    /// Passes a stop on to running steps, at once or when their time to end is over. Returns the rest of that time.
    fn pass_stop_on(
        &self,
        running: &RunningSteps,
        waits: &mut WaitState,
        options: DriveOptions<'_>,
    ) -> Option<Duration> {
        let level = options.stop.level();
        waits.stopped = waits.stopped.max(level);
        if level >= StopLevel::Cancel {
            running.stop(level);
        }
        if level != StopLevel::Drain {
            return None;
        }
        let now = self.elapsed();
        let since = *waits.draining_since.get_or_insert(now);
        let left = options.drain.saturating_sub(now.saturating_sub(since));
        if left.is_zero() {
            running.stop(StopLevel::Cancel);
            return None;
        }
        Some(left)
    }
}
