//! Pauses of a drive.
//!
//! If there is nothing to start, the drive works out when that may change and sleeps until then. A
//! pause ends at the earliest deadline, when another process writes to the log, when a step ends,
//! or when the user stops the drive.

use std::collections::BTreeSet;
use std::time::Duration;

use windlass_engine::StopLevel;
use windlass_ledger::{Doer, MolStep, Stamp};
use windlass_plan::Status;

use super::log_watch::LogWatch;
use super::running_steps::HeldStep;
use super::step_attempt::Found;
use super::worker_stats::set;
use super::{AFTER_OUTAGE, Drive, DriveOptions, Driver, MolWait, Patience};
use crate::gate_needs::GateView;
use windlass_site::Error;

/// Maximum length of a pause, and therefore of the time between two runs of a gate program. There
/// is no way to know when such a program would give another answer.
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Number of failures to remember, so that each of them is reported only once. After more than
/// that, we forget all of them and may report some again.
const MAX_TROUBLES: usize = 64;

/// State carried from one pause to the next.
#[derive(Debug, Default)]
pub(super) struct WaitState {
    /// Names of the steps in the last announcement.
    announced: Vec<String>,
    troubles: BTreeSet<String>,
    /// The stop level that the running steps know of.
    stopped: StopLevel,
    /// Start of draining, i.e. of letting running steps end without starting others.
    draining_since: Option<Duration>,
}

impl WaitState {
    pub(super) fn announce(&mut self, waits: &[MolWait], options: DriveOptions<'_>) {
        let steps: Vec<String> = waits.iter().map(|wait| wait.step_id.clone()).collect();
        if steps != self.announced {
            (options.waiting)(waits);
            self.announced = steps;
        }
    }

    /// Reports a failure that does not end the drive. During an outage, the same one comes up in
    /// every round, so we only report it the first time.
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
    /// Returns the time until the molecule should be looked at again, or `None` if it has ended, or
    /// if all remaining work needs a person.
    pub(super) fn pause(&self, id: &str, drive: &Drive) -> Result<Option<Duration>, Error> {
        let is_stopped = self.options.stop.level() > StopLevel::None;
        let molecule = self.molecules.session.state().molecule(id);
        let open = molecule.filter(|molecule| molecule.is_open() && !is_stopped);
        let (Some(molecule), true) = (open, self.options.patience != Patience::None) else {
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
            // The deadline itself is still too early, since it has only passed afterwards. Wait a
            // millisecond longer.
            let left = Duration::from_micros(left) + Duration::from_millis(1);
            pause = Some(pause.map_or(left, |pause| pause.min(left)).min(most));
        };
        for step in molecule.steps.iter().filter(|_| !molecule.is_waiting()) {
            match step.status_now() {
                // Another machine is running this step. Its claim ends with the step, which we'd
                // notice in the log, but also with the lease, or when the attempt times out.
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
                    // If one of the gates needs a person, the deadlines of the others don't matter.
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
        // When the caller's clock is confirmed, the log's time jumps ahead, and several deadlines
        // may pass at once.
        let actor = self.molecules.session.actor().unwrap_or_default();
        if let Some(left) = clock.confirmed_in(actor) {
            let left = left + Duration::from_millis(1);
            pause = pause.map(|pause| pause.min(left));
        }
        let may_run = |step: &MolStep| {
            let is_for_machine = step.doer == Doer::Machine && !drive.why.contains_key(&step.id);
            is_for_machine && matches!(step.shown(), Status::Ready | Status::InProgress)
        };
        Ok(match self.options.patience {
            Patience::Steps if molecule.steps.iter().any(may_run) => {
                Some(pause.unwrap_or(MAX_PAUSE).min(MAX_PAUSE))
            }
            Patience::Endless => Some(pause.unwrap_or(MAX_PAUSE).min(MAX_PAUSE)),
            _ => pause,
        })
    }

    /// Waits for `pause`, for another process to write to the log, for a stop, or for the end of a
    /// step, which is then returned. We extend the leases of running steps in the meantime.
    pub(super) async fn wait(
        &mut self,
        pause: Duration,
        watch: &LogWatch,
        waits: &mut WaitState,
    ) -> Result<Option<(HeldStep, Found)>, Error> {
        // After a failed pull, don't wait for the whole pause before trying again.
        let pause = match self.options.stats.is_behind() {
            true => pause.min(AFTER_OUTAGE),
            false => pause,
        };
        let until = self.elapsed().saturating_add(pause);
        let (mut ended, mut has_moved) = (None, false);
        while ended.is_none() {
            let limit = self.pass_stop_on(waits);
            let left = until.saturating_sub(self.elapsed());
            let is_stopping = waits.stopped > StopLevel::None;
            if left.is_zero() || (is_stopping && self.running.is_empty()) {
                break;
            }
            let pause = limit.map_or(left, |limit| limit.min(left));
            let due = self.lease_pause();
            tokio::select! {
                next = self.running.next() => ended = Some(next),
                _ = self.options.stop.beyond(waits.stopped) => {}
                () = tokio::time::sleep(pause) => {}
                () = tokio::time::sleep(due) => self.extend_leases(),
                () = watch.changed() => {
                    has_moved = watch.take_moved();
                    if has_moved || self.molecules.session.sharing().has_grown_here() {
                        break;
                    }
                }
            }
        }
        set(&self.options.stats.running, self.running.count());
        self.update_position();
        // The watch reports each change of the log only once. If the pull after it failed, we're
        // still behind and have to pull here.
        if has_moved || self.options.stats.is_behind() {
            self.molecules.session.sharing().pull()?;
        }
        if self.molecules.session.sharing().has_grown_here() {
            self.molecules.session.follow_others()?;
        }
        self.update_position();
        Ok(ended)
    }

    fn update_position(&mut self) {
        if let Some(position) = self.molecules.session.sharing().position() {
            set(&self.options.stats.position, position);
        }
    }

    /// Passes a stop on to the running steps, and returns the time that is left for them. A
    /// cancellation is passed on immediately; a drain becomes a cancellation once its time is over.
    fn pass_stop_on(&self, waits: &mut WaitState) -> Option<Duration> {
        let level = self.options.stop.level();
        waits.stopped = waits.stopped.max(level);
        if level >= StopLevel::Cancel {
            self.running.stop(level);
        }
        if level != StopLevel::Drain {
            return None;
        }
        let now = self.elapsed();
        let since = *waits.draining_since.get_or_insert(now);
        let left = self.options.drain.saturating_sub(now.saturating_sub(since));
        if left.is_zero() {
            self.running.stop(StopLevel::Cancel);
            return None;
        }
        Some(left)
    }
}
