use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The interval at which a waiting thread checks if it should stop.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Limits the number of instances that exist at the same time.
///
/// If there is no free slot, a thread blocks until there is one.
#[derive(Debug)]
pub(crate) struct InstanceSlots {
    count: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// A slot for one instance, which becomes free again on drop.
#[derive(Debug)]
pub(crate) struct InstanceSlot<'a>(&'a InstanceSlots);

impl InstanceSlots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            count,
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    pub(crate) fn take(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        let mut free = self.free();
        while *free == 0 {
            if stopped() {
                return None;
            }
            let waited = self.freed.wait_timeout(free, LOOK_UP);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(InstanceSlot(self))
    }

    pub(crate) fn are_all_free(&self) -> bool {
        *self.free() == self.count
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InstanceSlot<'_> {
    fn drop(&mut self) {
        *self.0.free() += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn take_waits_for_slot_or_stop() {
        let slots = InstanceSlots::new(1);
        let first = slots.take(|| false).unwrap();
        assert!(slots.take(|| true).is_none());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| slots.take(|| false).is_some());
            drop(first);
            assert!(waiting.join().unwrap());
        });
        assert!(slots.take(|| true).is_some());
    }

    #[test]
    fn slots_limit_concurrency() {
        let (slots, inside, been) = (
            InstanceSlots::new(2),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let slot = slots.take(|| false);
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < 2);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        been.fetch_add(1, Ordering::SeqCst);
                        drop(slot);
                    }
                });
            }
        });
        assert_eq!(been.into_inner(), 2_000);
        assert!(slots.are_all_free());
    }
}
