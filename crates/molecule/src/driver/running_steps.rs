//! The steps run by a drive at the same time, and their leases.

use std::future::Future;
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::task::{Id, JoinError, JoinSet};
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
use windlass_ledger::{ClaimedStep, LedgerError, StepProof};
use windlass_site::Error;

use super::step_attempt::{Found, StepAttempt};
use super::{DriveOptions, Driver, is_outage};
use crate::driver::worker_stats::{add, set};

/// Minimum time between two attempts to extend a lease, if the shared ledger can't be reached.
const RETRY: Duration = Duration::from_secs(2);

/// Steps being run. They stop when this value is dropped.
pub(super) struct RunningSteps {
    tasks: JoinSet<Found>,
    held: Vec<HeldStep>,
    jobs: NonZeroUsize,
}

/// The claim on a running step.
pub(super) struct HeldStep {
    task: Id,
    pub(super) claimed: ClaimedStep,
    pub(super) stop: Stop,
    lease_ms: u64,
    /// Time of the last extension, by [`windlass_site::Environment::elapsed`].
    extended: Duration,
    /// Time of the next extension.
    due: Duration,
    /// True if the claim has ended, so that the program's result no longer counts.
    pub(super) is_lost: bool,
}

impl RunningSteps {
    pub(super) fn new(jobs: NonZeroUsize) -> Self {
        Self {
            tasks: JoinSet::new(),
            held: Vec::new(),
            jobs,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn count(&self) -> u64 {
        self.held.len() as u64
    }

    /// True if a step of the molecule `id` is running.
    pub(super) fn is_in(&self, id: &str) -> bool {
        self.held.iter().any(|held| held.claimed.proof.mol == id)
    }

    /// True if another step may start.
    pub(super) fn has_room(&self) -> bool {
        self.held.len() < self.jobs.get()
    }

    /// Starts an attempt, which runs on the current `LocalSet`. `now` is the time of the claim.
    pub(super) fn start(&mut self, attempt: StepAttempt, lease_ms: u64, now: Duration) {
        let (claimed, stop) = (attempt.claimed.clone(), attempt.stop.clone());
        let task = self.tasks.spawn_local(attempt.run()).id();
        self.held.push(HeldStep {
            task,
            claimed,
            stop,
            lease_ms,
            extended: now,
            due: now + third(lease_ms),
            is_lost: false,
        });
    }

    /// Waits until a step has ended, which is forever if none is running.
    pub(super) async fn next(&mut self) -> (HeldStep, Found) {
        loop {
            let Some(ended) = self.tasks.join_next_with_id().await else {
                std::future::pending::<()>().await;
                continue;
            };
            let (id, found) = ended.unwrap_or_else(|error| (error.id(), broken(&error)));
            if let Some(at) = self.held.iter().position(|held| held.task == id) {
                return (self.held.swap_remove(at), found);
            }
        }
    }

    /// Stops all steps at `level`.
    pub(super) fn stop(&self, level: StopLevel) {
        for held in &self.held {
            held.stop.request(level);
        }
    }

    /// Returns the time of the next extension of a lease.
    fn due(&self) -> Option<Duration> {
        self.held
            .iter()
            .filter(|held| !held.is_lost)
            .map(|held| held.due)
            .min()
    }
}

fn third(lease_ms: u64) -> Duration {
    Duration::from_millis((lease_ms / 3).max(10))
}

fn broken(error: &JoinError) -> Found {
    let why = format!("the step was not run to its end: {error}");
    Found::ended(Err(StepError::new(ErrorKind::Internal, why)))
}

impl Driver<'_> {
    /// Returns the time for measuring durations.
    pub(super) fn elapsed(&self) -> Duration {
        (self.molecules.session.site().environment().elapsed)()
    }

    /// Returns the time until the next lease must be extended.
    pub(super) fn lease_pause(&self, running: &RunningSteps) -> Duration {
        let due = running.due().unwrap_or(Duration::MAX);
        due.saturating_sub(self.elapsed())
    }

    /// Awaits `work` while extending the leases of running steps.
    pub(super) async fn holding<T>(
        &mut self,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
        work: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(work);
        loop {
            let due = self.lease_pause(running);
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(due) => self.extend_leases(running, options),
            }
        }
    }

    /// Extends the leases that are due. A step whose claim has ended is stopped, because another
    /// machine may be running it.
    pub(super) fn extend_leases(&mut self, running: &mut RunningSteps, options: DriveOptions<'_>) {
        let now = self.elapsed();
        for held in &mut running.held {
            if held.is_lost || held.due > now {
                continue;
            }
            let (proof, lease_ms) = (held.claimed.proof.clone(), held.lease_ms);
            match self.extended(&proof, lease_ms) {
                Ok(()) => (held.extended, held.due) = (now, now + third(lease_ms)),
                Err(error) => {
                    let is_over = now.saturating_sub(held.extended).as_millis() >= lease_ms.into();
                    let has_ended = error.is(|error| matches!(error, LedgerError::Rejected(_)));
                    held.due = now + third(lease_ms).min(RETRY);
                    if has_ended || is_over {
                        held.is_lost = true;
                        held.stop.request(StopLevel::Kill);
                        add(&options.stats.lost);
                    } else if !is_outage(&error) {
                        (options.trouble)(&error.to_string());
                    }
                }
            }
        }
        set(&options.stats.running, running.count());
    }

    fn extended(&mut self, proof: &StepProof, lease_ms: u64) -> Result<(), Error> {
        self.decide(|draft| draft.prolong(proof, Some(lease_ms)))
            .map(drop)
    }
}
