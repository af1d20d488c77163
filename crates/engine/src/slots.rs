use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places at which steps run, shared by a run and the runs nested in it, so that the limit holds for
/// all of them together.
///
/// Clean-up after a stop has places of its own, as many: it must not wait for what does not end.
#[derive(Debug, Clone)]
pub struct Slots {
    jobs: u32,
    work: Places,
    clean_up: Places,
}

impl Slots {
    /// `jobs` places.
    #[must_use]
    pub fn new(jobs: NonZeroUsize) -> Self {
        let most = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let jobs = u32::try_from(jobs.get().min(most)).unwrap_or(u32::MAX);
        let places = || Places(Arc::new(Semaphore::new(jobs as usize)));
        Self {
            jobs,
            work: places(),
            clean_up: places(),
        }
    }

    pub(crate) fn for_work(&self) -> Places {
        self.work.clone()
    }

    pub(crate) fn for_clean_up(&self) -> Places {
        self.clean_up.clone()
    }

    /// Waits until nobody works, for at most `patience`.
    pub(crate) async fn all_free(&self, patience: Duration) {
        if self.work.0.available_permits() < self.jobs as usize {
            // Too late is fine as well.
            let _ = tokio::time::timeout(patience, self.work.0.acquire_many(self.jobs)).await;
        }
    }
}

/// Places of one sort.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Semaphore>);

impl Places {
    /// A place, if one is free and nobody waits for it.
    pub(crate) fn try_take(&self) -> Option<Place> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(Place::new)
    }

    /// Waits in line for a place.
    pub(crate) async fn take(self) -> Place {
        match self.0.acquire_owned().await {
            Ok(permit) => Place::new(permit),
            // Nobody closes the semaphore.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A place at which a step runs. It is free again when neither the attempt nor a thread that computes for it
/// holds it.
#[derive(Debug, Clone)]
pub(crate) struct Place(Arc<Held>);

#[derive(Debug)]
struct Held {
    /// How many threads compute for the step.
    threads: AtomicUsize,
    #[expect(dead_code, reason = "held for what dropping it does")]
    permit: OwnedSemaphorePermit,
}

impl Place {
    fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(Held {
            threads: AtomicUsize::new(0),
            permit,
        }))
    }

    /// Lets a thread hold the place until it drops what it is given.
    pub(crate) fn lend(&self) -> Lent {
        self.0.threads.fetch_add(1, Ordering::SeqCst);
        Lent(self.clone())
    }

    /// Whether a thread holds the place.
    pub(crate) fn is_lent(&self) -> bool {
        self.0.threads.load(Ordering::SeqCst) > 0
    }
}

/// A thread's hold on a place.
#[derive(Debug)]
pub(crate) struct Lent(Place);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.0.threads.fetch_sub(1, Ordering::SeqCst);
    }
}
