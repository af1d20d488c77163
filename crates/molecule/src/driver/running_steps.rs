//! The steps that a drive runs at the same time, and their leases.
//!
//! A lease tells other machines that a step is still being worked on. We extend it after a third of
//! its time, so there are two more chances if the shared ledger cannot be reached. If it runs out
//! after all, another machine may claim the step, and we have to stop our own program.

use std::future::Future;
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::task::{Id, JoinError, JoinSet};
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
use windlass_ledger::{ClaimedStep, LedgerError, StepProof};
use windlass_site::Error;

use super::step_attempt::{Found, StepAttempt};
use super::{Driver, is_outage};
use crate::driver::worker_stats::{add, set};

/// Time between two attempts to extend a lease during an outage of the shared ledger.
const RETRY: Duration = Duration::from_secs(2);

/// The running steps. If this is dropped, they are stopped.
pub(super) struct RunningSteps {
    tasks: JoinSet<Found>,
    held: Vec<HeldStep>,
    jobs: NonZeroUsize,
}

pub(super) struct HeldStep {
    task: Id,
    pub(super) claimed: ClaimedStep,
    pub(super) stop: Stop,
    lease_ms: u64,
    /// When the lease was last extended, by [`windlass_site::Environment::elapsed`].
    extended: Duration,
    /// Time of the next extension of the lease.
    due: Duration,
    /// True if the claim has ended, so that the program's result does not count any more.
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

    pub(super) fn is_in(&self, id: &str) -> bool {
        self.held.iter().any(|held| held.claimed.proof.mol == id)
    }

    pub(super) fn has_room(&self) -> bool {
        self.held.len() < self.jobs.get()
    }

    /// Starts an attempt on the current `LocalSet`. `now` is the time of the claim, or a moment
    /// before it.
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

    /// Waits for the end of a step. If none is running, this never returns, which is what `select!`
    /// needs.
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

    pub(super) fn stop(&self, level: StopLevel) {
        for held in &self.held {
            held.stop.request(level);
        }
    }

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
    pub(super) fn elapsed(&self) -> Duration {
        (self.molecules.session.site().environment().elapsed)()
    }

    pub(super) fn lease_pause(&self) -> Duration {
        let due = self.running.due().unwrap_or(Duration::MAX);
        due.saturating_sub(self.elapsed())
    }

    /// Awaits `work`, and extends the leases of running steps in the meantime. Use this for
    /// anything that may take long.
    pub(super) async fn holding<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            let due = self.lease_pause();
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(due) => self.extend_leases(),
            }
        }
    }

    /// Extends the leases that are due. If it turns out that a claim has ended, we stop the step,
    /// because another machine may be running it by now.
    pub(super) fn extend_leases(&mut self) {
        let now = self.elapsed();
        let mut running = std::mem::take(&mut self.running.held);
        for held in &mut running {
            if held.is_lost || held.due > now {
                continue;
            }
            let (proof, lease_ms) = (held.claimed.proof.clone(), held.lease_ms);
            match self.extended(&proof, lease_ms) {
                Ok(()) => (held.extended, held.due) = (now, now + third(lease_ms)),
                Err(error) => {
                    // Even if we can't reach the ledger, we know when the lease has run out.
                    let is_over = now.saturating_sub(held.extended).as_millis() >= lease_ms.into();
                    let has_ended = error.is(|error| matches!(error, LedgerError::Rejected(_)));
                    held.due = now + third(lease_ms).min(RETRY);
                    if has_ended || is_over {
                        held.is_lost = true;
                        held.stop.request(StopLevel::Kill);
                        add(&self.options.stats.lost);
                    } else if !is_outage(&error) {
                        (self.options.trouble)(&error.to_string());
                    }
                }
            }
        }
        self.running.held = running;
        set(&self.options.stats.running, self.running.count());
    }

    fn extended(&mut self, proof: &StepProof, lease_ms: u64) -> Result<(), Error> {
        self.decide(|draft| draft.prolong(proof, Some(lease_ms)))
            .map(drop)
    }
}
