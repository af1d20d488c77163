//! A cache with a size limit, for values that are expensive to compute.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use windlass_base::lock;

/// A map of computed values with a total size of at most `MAX`.
///
/// When the limit is exceeded, all entries are dropped. We could also track the last use of each,
/// but it is not worth the effort: the limits are generous, and values can always be computed
/// again.
#[derive(Debug)]
pub struct Bounded<K, V, const MAX: usize>(Mutex<Entries<K, V>>);

#[derive(Debug)]
struct Entries<K, V> {
    slots: BTreeMap<K, Slot<V>>,
    size: usize,
}

type Slot<V> = Arc<OnceLock<V>>;

/// Result of the caller's `make` function, which decides if the value may be cached.
#[derive(Debug)]
pub enum Made<V> {
    /// A value to cache, and its size. The unit is up to the caller, but has to be the same as for
    /// `MAX`.
    Sized(V, usize),
    /// A value to return without caching, e.g. a failure that may not happen again.
    Passing(V),
}

impl<K, V, const MAX: usize> Default for Bounded<K, V, MAX> {
    fn default() -> Self {
        let slots = BTreeMap::new();
        Self(Mutex::new(Entries { slots, size: 0 }))
    }
}

impl<K: Ord + Clone, V: Clone, const MAX: usize> Bounded<K, V, MAX> {
    /// Returns the value for `key`. If it is not cached, one thread computes it, while others with
    /// the same key wait.
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
        // Only the thread that has computed the value knows its size, so it's counted once.
        if let Some(size) = size {
            lock(&self.0).grow(size, MAX);
        }
        if is_passing {
            lock(&self.0).slots.remove(key);
        }
        value.clone()
    }

    fn slot(&self, key: &K) -> Slot<V> {
        let mut kept = lock(&self.0);
        if let Some(slot) = kept.slots.get(key) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        kept.slots.insert(key.clone(), Arc::clone(&slot));
        slot
    }
}

impl<K, V> Entries<K, V> {
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

    /// Counts the computed values when requesting `keys` one after the other.
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
    fn value_until_full_is_made_once() {
        assert_eq!(made(&[1, 2, 1, 2], 5), 2);
        assert_eq!(made(&[1, 2, 3, 1, 2, 3], 5), 6);
        // A value larger than the whole cache is returned without caching.
        assert_eq!(made(&[1, 1, 1], 11), 3);
    }

    #[test]
    fn passing_value_is_not_cached() {
        let cache: Bounded<u32, u32, 10> = Bounded::default();
        assert_eq!(cache.get_or_make(&1, || Made::Passing(3)), 3);
        assert_eq!(cache.get_or_make(&1, || Made::Sized(4, 1)), 4);
        assert_eq!(cache.get_or_make(&1, || Made::Sized(5, 1)), 4);
    }

    #[test]
    fn concurrent_threads_share_a_value() {
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
