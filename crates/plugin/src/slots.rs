use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How many instances there are room for at once. Who finds none waits on the thread it works on.
#[derive(Debug)]
pub(crate) struct InstanceSlots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place for an instance, until it is dropped.
#[derive(Debug)]
pub(crate) struct InstanceSlot<'a>(&'a InstanceSlots);

impl InstanceSlots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    /// Waits for a place; `None` as soon as `stopped`.
    pub(crate) fn take(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if stopped() {
                return None;
            }
            let waited = self.freed.wait_timeout(free, Duration::from_millis(20));
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(InstanceSlot(self))
    }
}

impl Drop for InstanceSlot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_finds_no_place_waits_for_one_or_for_the_stop() {
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
}
