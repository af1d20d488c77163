use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use windlass_base::lock;

/// The interval at which a waiting thread checks if it should stop.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Values that are computed once per key.
///
/// While one thread computes a value, the others wait for it.
#[derive(Debug)]
pub(crate) struct OnceEach<K, V> {
    known: Mutex<BTreeMap<K, Arc<Made<V>>>>,
}

#[derive(Debug)]
struct Made<V> {
    value: Mutex<State<V>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<V> {
    /// The value has not been computed, or the thread that computed it panicked.
    Nothing,
    InTheMaking,
    Done(V),
}

impl<K, V> Default for OnceEach<K, V> {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
        }
    }
}

impl<K: Ord, V: Clone> OnceEach<K, V> {
    /// Looks up the value of `key`, or computes it with `make`.
    ///
    /// If another thread is already computing it, we wait for the result, but return `None` once
    /// `stopped` returns true. If that thread panics, the next one takes over.
    pub(crate) fn get(
        &self,
        key: K,
        stopped: impl Fn() -> bool,
        make: impl FnOnce() -> V,
    ) -> Option<V> {
        let made = Arc::clone(lock(&self.known).entry(key).or_insert_with(|| {
            Arc::new(Made {
                value: Mutex::new(State::Nothing),
                changed: Condvar::new(),
            })
        }));
        let mut value = lock(&made.value);
        loop {
            match &*value {
                State::Done(value) => return Some(value.clone()),
                State::Nothing => break,
                State::InTheMaking if stopped() => return None,
                State::InTheMaking => {
                    let waited = made.changed.wait_timeout(value, LOOK_UP);
                    value = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        *value = State::InTheMaking;
        drop(value);
        let making = Making(&made);
        let new = make();
        *lock(&made.value) = State::Done(new.clone());
        drop(making);
        Some(new)
    }
}

/// A computation in progress.
///
/// Dropping it wakes the threads that wait, even after a panic.
struct Making<'a, V>(&'a Made<V>);

impl<V> Drop for Making<'_, V> {
    fn drop(&mut self) {
        let mut value = lock(&self.0.value);
        if matches!(*value, State::InTheMaking) {
            *value = State::Nothing;
        }
        drop(value);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn get_computes_value_once() {
        let (once, made, all) = (OnceEach::default(), AtomicUsize::new(0), Barrier::new(4));
        let ask = |key: u8| {
            once.get(
                key,
                || false,
                || {
                    made.fetch_add(1, Ordering::Relaxed);
                    key * 2
                },
            )
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    all.wait();
                    assert_eq!(ask(3), Some(6));
                });
            }
        });
        assert_eq!((ask(3), ask(4)), (Some(6), Some(8)));
        assert_eq!(made.into_inner(), 2);
    }

    #[test]
    fn get_waiting_sees_stop_and_panic() {
        let (once, began, end) = (OnceEach::default(), Barrier::new(2), Barrier::new(2));
        let (once, began, end) = (&once, &began, &end);
        std::thread::scope(|scope| {
            let first = scope.spawn(move || {
                let make = || -> u8 {
                    began.wait();
                    end.wait();
                    panic!("it cannot be made")
                };
                catch_unwind(AssertUnwindSafe(|| once.get((), || false, make))).is_err()
            });
            began.wait();
            assert_eq!(once.get((), || true, || 1), None);
            let next = scope.spawn(move || once.get((), || false, || 2));
            end.wait();
            assert!(first.join().unwrap());
            assert_eq!(next.join().unwrap(), Some(2));
        });
    }
}
