//! How long a drive waits: until a deadline, a write to the log, or a stop.

use std::time::Duration;

use windlass_engine::{Stop, StopLevel};
use windlass_ledger::{Doer, Stamp};
use windlass_plan::Status;

use super::{DriveOptions, Driver, Patience};
use crate::gate_needs::GateView;
use windlass_site::Error;

/// Maximum interval between runs of a gate program.
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Interval at which the log and its copies are checked for writes by other processes. Only file metadata is read, so a
/// check is cheap.
const TICK: Duration = Duration::from_millis(200);

impl Driver<'_> {
    /// Returns the time until the molecule must be checked again. Returns `None` if the molecule has ended, or if only
    /// work for people is left.
    pub(super) fn pause(
        &self,
        id: &str,
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
            // A deadline counts as passed only after its exact time, so wait a millisecond longer.
            let left = Duration::from_micros(left) + Duration::from_millis(1);
            pause = Some(pause.map_or(left, |pause| pause.min(left)).min(most));
        };
        for step in molecule.steps.iter().filter(|_| !molecule.is_waiting()) {
            match step.status_now() {
                // Another machine's claim ends when its step ends, its lease expires or the attempt times out.
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
        // When the caller's clock is confirmed, the log's time jumps, and deadlines may pass at once.
        let actor = self.molecules.session.actor().unwrap_or_default();
        if let Some(left) = clock.confirmed_in(actor) {
            let left = left + Duration::from_millis(1);
            pause = pause.map(|pause| pause.min(left));
        }
        Ok(match options.patience {
            Patience::Endless => Some(pause.unwrap_or(MAX_PAUSE).min(MAX_PAUSE)),
            _ => pause,
        })
    }

    /// Waits until `pause` has passed on the caller's clock, another process writes to the log, or `stop` is raised.
    pub(super) async fn wait(&mut self, pause: Duration, stop: &Stop) -> Result<(), Error> {
        let began = (self.molecules.session.site().environment().elapsed)();
        loop {
            let passed =
                (self.molecules.session.site().environment().elapsed)().saturating_sub(began);
            let left = pause.saturating_sub(passed);
            if left.is_zero()
                || stop.level() > StopLevel::None
                || self.molecules.session.has_grown()
            {
                break;
            }
            tokio::select! {
                _ = stop.beyond(StopLevel::None) => {}
                () = tokio::time::sleep(left.min(TICK)) => {}
            }
        }
        self.molecules.session.follow_others()
    }
}
