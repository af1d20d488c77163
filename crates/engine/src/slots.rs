//! Limits the number of concurrent steps.
//!
//! An attempt shares its slot with its threads. If the attempt ends at its time limit but a thread
//! goes on, the slot stays taken. If it didn't, new steps would start, and the number of hanging
//! threads could grow beyond the limit.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots for running steps. A run shares them with its nested runs, so the limit holds for all
/// of them together.
///
/// There's a second set of the same size for clean-up after a stop, because the steps in the first
/// set may never end, and clean-up can't wait for them.
#[derive(Debug, Clone)]
pub struct Slots {
    jobs: u32,
    work: Places,
    clean_up: Places,
}

impl Slots {
    /// Creates `jobs` slots for work, and as many for clean-up.
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

    /// Waits for all work slots to become free, but no longer than `patience`.
    pub(crate) async fn all_free(&self, patience: Duration) {
        if self.work.0.available_permits() < self.jobs as usize {
            // If this times out, the caller goes on without the slots.
            let _ = tokio::time::timeout(patience, self.work.0.acquire_many(self.jobs)).await;
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Semaphore>);

impl Places {
    /// Takes a slot if one is free. This never jumps the queue of [`take`](Self::take).
    pub(crate) fn try_take(&self) -> Option<Place> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(Place::new)
    }

    /// Waits for a slot. The queue is fair, so whoever comes first is served first.
    pub(crate) async fn take(self) -> Place {
        match self.0.acquire_owned().await {
            Ok(permit) => Place::new(permit),
            // The semaphore is never closed, so we don't get here.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A taken slot. It becomes free once the attempt and all its threads have dropped their clones.
#[derive(Debug, Clone)]
pub(crate) struct Place(Arc<Held>);

#[derive(Debug)]
struct Held {
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

    /// Shares the slot with a thread, until the guard is dropped.
    pub(crate) fn lend(&self) -> Lent {
        self.0.threads.fetch_add(1, Ordering::SeqCst);
        Lent(self.clone())
    }

    pub(crate) fn is_lent(&self) -> bool {
        self.0.threads.load(Ordering::SeqCst) > 0
    }
}

#[derive(Debug)]
pub(crate) struct Lent(Place);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.0.threads.fetch_sub(1, Ordering::SeqCst);
    }
}
