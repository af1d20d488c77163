//! Which of several engines that are alike an attempt runs in.
//!
//! Instances of one engine take turns at its places, and two threads that do so hand the memory of each place, and the engine's
//! own accounts, from one core to the other with every call: that takes as long as the calls themselves. So threads that are
//! often inside at the same time get engines of their own. One after the other, all is done in the first.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The most engines of one sort.
pub(crate) const MAX_LANES: usize = 4;
/// How often a thread finds another one inside before there is more than one: to start an engine takes as long as so many calls.
const OFTEN: u32 = 64;

thread_local! {
    /// Where the thread was last: what it left there lies near.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// The lanes of a host, and how many are in each.
#[derive(Debug)]
pub(crate) struct Lanes {
    inside: Box<[Inside]>,
    met: AtomicU32,
}

/// On lines of its own, so that nobody waits for those who write beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Inside(AtomicUsize);

/// A lane, as long as somebody is in it.
#[derive(Debug)]
pub(crate) struct Lane<'a> {
    number: usize,
    inside: &'a Inside,
}

impl Lanes {
    /// As many as so many attempts at once are worth.
    pub(crate) fn new(attempts: usize) -> Self {
        let count = (attempts / 2).clamp(1, MAX_LANES);
        Self {
            inside: (0..count).map(|_| Inside::default()).collect(),
            met: AtomicU32::new(0),
        }
    }

    /// A lane that nobody is in, or if there is none, the one this thread was in last.
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
    fn who_is_alone_stays_in_the_first() {
        let lanes = Lanes::new(8);
        for _ in 0..3 * OFTEN {
            assert_eq!(lanes.enter().number(), 0);
        }
    }

    #[test]
    fn those_who_meet_often_get_lanes_of_their_own() {
        let lanes = Lanes::new(4);
        let first = lanes.enter();
        for _ in 0..OFTEN {
            assert_eq!(lanes.enter().number(), 0);
        }
        let second = lanes.enter();
        assert_eq!((first.number(), second.number()), (0, 1));
        // There are no more than two: who comes third shares one.
        let third = lanes.enter();
        assert_eq!(third.number(), 1);
        drop((first, second, third));
        // Who was there last is there again.
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
