//! A cache of bounded size, for what is worked out once in one state of the files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Values by keys, of a size of `MAX` in all. Beyond that all are let go, and made anew where they are wanted again.
#[derive(Debug)]
pub struct Bounded<K, V, const MAX: usize>(Mutex<Kept<K, V>>);

#[derive(Debug)]
struct Kept<K, V> {
    slots: BTreeMap<K, Slot<V>>,
    size: usize,
}

type Slot<V> = Arc<OnceLock<V>>;

/// A value that was made, and what becomes of it.
#[derive(Debug)]
pub enum Made<V> {
    /// It is kept, and takes this much room.
    Sized(V, usize),
    /// It may be another one when it is asked for again.
    Passing(V),
}

impl<K, V, const MAX: usize> Default for Bounded<K, V, MAX> {
    fn default() -> Self {
        let slots = BTreeMap::new();
        Self(Mutex::new(Kept { slots, size: 0 }))
    }
}

impl<K: Ord + Clone, V: Clone, const MAX: usize> Bounded<K, V, MAX> {
    /// Returns what stands under `key`. If nothing does, one thread makes it and others that ask wait.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> Made<V>) -> V {
        let slot = self.slot(key);
        let (mut size, mut is_passing) = (None, false);
        let value = slot.get_or_init(|| match make() {
            Made::Sized(value, needed) => {
                size = Some(needed);
                value
            }
            Made::Passing(value) => {
                is_passing = true;
                value
            }
        });
        if let Some(size) = size {
            self.lock().grow(size, MAX);
        }
        if is_passing {
            self.lock().slots.remove(key);
        }
        value.clone()
    }

    fn slot(&self, key: &K) -> Slot<V> {
        let mut kept = self.lock();
        if let Some(slot) = kept.slots.get(key) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        kept.slots.insert(key.clone(), Arc::clone(&slot));
        slot
    }

    /// A thread that panicked holding the lock left whole entries behind.
    fn lock(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> Kept<K, V> {
    /// Counts `size` more, and lets all go where that is too much.
    fn grow(&mut self, size: usize, max: usize) {
        self.size += size;
        if self.size > max {
            self.slots.clear();
            self.size = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often of `keys`, asked for in turn, one has to be made.
    fn made(keys: &[u32], size: usize) -> usize {
        let cache: Bounded<u32, u32, 10> = Bounded::default();
        let mut made = 0;
        for key in keys {
            let value = cache.get_or_make(key, || {
                made += 1;
                Made::Sized(key * 2, size)
            });
            assert_eq!(value, key * 2);
        }
        made
    }

    #[test]
    fn a_value_is_made_once_until_there_is_no_room() {
        assert_eq!(made(&[1, 2, 1, 2], 5), 2);
        assert_eq!(made(&[1, 2, 3, 1, 2, 3], 5), 6);
        // One that is too large is not kept, and is no harm.
        assert_eq!(made(&[1, 1, 1], 11), 3);
    }

    #[test]
    fn what_may_be_another_one_later_is_not_kept() {
        let cache: Bounded<u32, u32, 10> = Bounded::default();
        assert_eq!(cache.get_or_make(&1, || Made::Passing(3)), 3);
        assert_eq!(cache.get_or_make(&1, || Made::Sized(4, 1)), 4);
        assert_eq!(cache.get_or_make(&1, || Made::Sized(5, 1)), 4);
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same() {
        let cache: Bounded<u32, usize, 10> = Bounded::default();
        let count = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = cache.get_or_make(&1, || {
                        let before = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        Made::Sized(before, 1)
                    });
                    assert_eq!(value, 0);
                });
            }
        });
    }
}
