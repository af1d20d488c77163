//! Limits the number of steps running at the same time.
//!
//! An attempt shares its slot with the threads that compute for it. If the attempt ends at its time
//! limit but its thread goes on, the thread keeps the slot. Otherwise, hanging threads could pile
//! up beyond the limit while new steps start.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots for running steps. A run shares them with its nested runs, so that the limit holds for all
/// of them together.
///
/// Clean-up after a stop has a separate set of the same size. It doesn't have to wait for steps
/// that won't end.
#[derive(Debug, Clone)]
pub struct Slots {
    jobs: u32,
    work: Places,
    clean_up: Places,
}

impl Slots {
    /// Creates `jobs` slots.
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

    /// Waits until all work slots are free, but no longer than `patience`.
    pub(crate) async fn all_free(&self, patience: Duration) {
        if self.work.0.available_permits() < self.jobs as usize {
            // A timeout is fine. The caller goes on without the slots.
            let _ = tokio::time::timeout(patience, self.work.0.acquire_many(self.jobs)).await;
        }
    }
}

/// One set of slots, either for work or for clean-up.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Semaphore>);

impl Places {
    /// Takes a slot if one is free and nobody has been waiting for it.
    pub(crate) fn try_take(&self) -> Option<Place> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(Place::new)
    }

    /// Waits for a slot. Requests are served in order of arrival.
    pub(crate) async fn take(self) -> Place {
        match self.0.acquire_owned().await {
            Ok(permit) => Place::new(permit),
            // The semaphore is never closed, so this can't happen.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A running step's slot. It becomes free once the attempt and all its threads have released it.
#[derive(Debug, Clone)]
pub(crate) struct Place(Arc<Held>);

#[derive(Debug)]
struct Held {
    /// Number of threads computing for the step.
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

    /// Shares the slot with a thread until the returned guard is dropped.
    pub(crate) fn lend(&self) -> Lent {
        self.0.threads.fetch_add(1, Ordering::SeqCst);
        Lent(self.clone())
    }

    /// Returns true if a thread still holds the slot.
    pub(crate) fn is_lent(&self) -> bool {
        self.0.threads.load(Ordering::SeqCst) > 0
    }
}

/// A thread's share of a slot.
#[derive(Debug)]
pub(crate) struct Lent(Place);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.0.threads.fetch_sub(1, Ordering::SeqCst);
    }
}
