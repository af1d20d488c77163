//! Assigns attempts to lanes. Each lane has its own engine, all with the same settings.
//!
//! Instances of one engine reuse its memory slots. If two threads share an engine, every call moves
//! a slot's memory and the engine's bookkeeping from one core to another, which takes as long as
//! the calls themselves. With additional lanes, we avoid these moves. They open once calls have
//! found the first lane taken [`OFTEN`] times, so sequential calls always use the first lane, and
//! never start a second engine.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Maximum number of engines with the same settings.
pub(crate) const MAX_LANES: usize = 4;
/// Number of calls that must find the first lane taken before the others open. Starting an engine
/// takes about as long as that many calls.
const OFTEN: u32 = 64;

thread_local! {
    /// This thread's last lane. Its data is probably still in the cache of the thread's core.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

#[derive(Debug)]
pub(crate) struct Lanes {
    inside: Box<[Inside]>,
    met: AtomicU32,
}

/// Number of attempts in a lane.
///
/// Thanks to the alignment, each counter has a cache line of its own. Without it, threads in
/// different lanes would slow each other down.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Inside(AtomicUsize);

#[derive(Debug)]
pub(crate) struct Lane<'a> {
    number: usize,
    inside: &'a Inside,
}

impl Lanes {
    /// Creates one lane for every two simultaneous `attempts`, up to [`MAX_LANES`].
    pub(crate) fn new(attempts: usize) -> Self {
        let count = (attempts / 2).clamp(1, MAX_LANES);
        Self {
            inside: (0..count).map(|_| Inside::default()).collect(),
            met: AtomicU32::new(0),
        }
    }

    /// Enters a free lane, preferably the one that this thread used last. If all of them are taken,
    /// the thread has to share that lane.
    pub(crate) fn enter(&self) -> Lane<'_> {
        let is_open = self.met.load(Ordering::Relaxed) >= OFTEN;
        let open = if is_open { self.inside.len() } else { 1 };
        let last = LAST.get().min(open - 1);
        let free = [last].into_iter().chain(0..open).find(|number| {
            let inside = &self.inside[*number].0;
            let taken = inside.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
            taken.is_ok()
        });
        let number = free.unwrap_or_else(|| {
            if !is_open {
                self.met.fetch_add(1, Ordering::Relaxed);
            }
            self.inside[last].0.fetch_add(1, Ordering::Acquire);
            last
        });
        LAST.set(number);
        Lane {
            number,
            inside: &self.inside[number],
        }
    }
}

impl Lane<'_> {
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.inside.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_single_thread_uses_first() {
        let lanes = Lanes::new(8);
        for _ in 0..3 * OFTEN {
            assert_eq!(lanes.enter().number(), 0);
        }
    }

    #[test]
    fn lanes_concurrent_calls_get_own() {
        let lanes = Lanes::new(4);
        let first = lanes.enter();
        for _ in 0..OFTEN {
            assert_eq!(lanes.enter().number(), 0);
        }
        let second = lanes.enter();
        assert_eq!((first.number(), second.number()), (0, 1));
        // There are only two lanes, so the third call has to share one.
        let third = lanes.enter();
        assert_eq!(third.number(), 1);
        drop((first, second, third));
        // The thread returns to its last lane.
        assert_eq!(lanes.enter().number(), 1);
        assert!(
            lanes
                .inside
                .iter()
                .all(|inside| inside.0.load(Ordering::Relaxed) == 0)
        );
        let alone = Lanes::new(1);
        let kept: Vec<_> = (0..2 * OFTEN).map(|_| alone.enter()).collect();
        assert!(kept.iter().all(|lane| lane.number() == 0));
    }
}
