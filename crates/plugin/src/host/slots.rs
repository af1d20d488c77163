use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Interval between a waiting thread's checks for cancellation.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Limits the number of simultaneous instances. A thread without a slot blocks until one is free.
///
/// As long as slots are free, taking and returning one needs neither a system call nor a lock.
#[derive(Debug)]
pub(crate) struct InstanceSlots {
    count: usize,
    free: AtomicUsize,
    waiting: AtomicUsize,
    line: Mutex<()>,
    freed: Condvar,
}

/// A slot for one instance, returned on drop.
#[derive(Debug)]
pub(crate) struct InstanceSlot<'a>(&'a InstanceSlots);

impl InstanceSlots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            count,
            free: AtomicUsize::new(count),
            waiting: AtomicUsize::new(0),
            line: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits for a slot. Returns `None` once `stopped` returns true.
    pub(crate) fn take(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        self.try_take().or_else(|| self.wait(stopped))
    }

    /// True if no slot is in use.
    pub(crate) fn are_all_free(&self) -> bool {
        self.free.load(Ordering::SeqCst) == self.count
    }

    fn try_take(&self) -> Option<InstanceSlot<'_>> {
        let one_less = |free: usize| free.checked_sub(1);
        let taken = self
            .free
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        taken.ok().map(|_| InstanceSlot(self))
    }

    fn wait(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread that returns a slot either sees this counter, or has already returned the slot
        // before the check below. Either way we don't miss it.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let slot = loop {
            if let Some(slot) = self.try_take() {
                break Some(slot);
            }
            if stopped() {
                break None;
            }
            let waited = self.freed.wait_timeout(line, LOOK_UP);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        drop(line);
        slot
    }
}

impl Drop for InstanceSlot<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::SeqCst);
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            // A waiting thread is either awake and will check again, or this notification wakes it.
            drop(self.0.line.lock().unwrap_or_else(PoisonError::into_inner));
            self.0.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(slots.free.into_inner(), 2);
    }
}
