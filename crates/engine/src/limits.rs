use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// How many steps run at once.
    pub jobs: NonZeroUsize,
    /// Whether the first failure that stops its dependents stops the run.
    pub fail_fast: bool,
    /// Time limit of an attempt for steps that name none.
    pub default_timeout: Duration,
    /// How long a step may take to end after it was asked to stop.
    pub grace: Duration,
    /// Largest output of a step, in bytes of compact JSON.
    pub max_output_bytes: usize,
}

impl RunOptions {
    /// `jobs` steps at once, going on after failures, with the standard limits: 10 minutes an attempt,
    /// 2 seconds of grace, 16 MiB of output.
    #[must_use]
    pub fn with_jobs(jobs: NonZeroUsize) -> Self {
        Self {
            jobs,
            fail_fast: false,
            default_timeout: Duration::from_secs(600),
            grace: Duration::from_secs(2),
            max_output_bytes: 16 << 20,
        }
    }
}

/// The places at which steps run, shared by a run and the runs nested in it, so that the limit holds for
/// all of them together.
#[derive(Debug, Clone)]
pub struct Slots(Arc<Semaphore>);

impl Slots {
    /// `jobs` places.
    #[must_use]
    pub fn new(jobs: NonZeroUsize) -> Self {
        Self(Arc::new(Semaphore::new(
            jobs.get().min(Semaphore::MAX_PERMITS),
        )))
    }

    /// A place, if one is free and nobody waits for it.
    pub(crate) fn try_take(&self) -> Option<Place> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(Place)
    }

    /// Waits in line for a place.
    pub(crate) async fn take(self) -> Place {
        match self.0.acquire_owned().await {
            Ok(permit) => Place(permit),
            // Nobody closes the semaphore.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A place at which a step runs; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place(
    #[expect(dead_code, reason = "held for what dropping it does")] OwnedSemaphorePermit,
);
