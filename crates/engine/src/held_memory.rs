//! What a run holds in memory, all levels together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The memory that the outputs of a run and of the runs nested in it have taken so far.
///
/// It only grows, also when a nested run has ended: what all steps put out together is the same in whichever
/// order they end, so that a run is either always too large or never.
#[derive(Debug, Clone, Default)]
pub struct Held(Arc<AtomicUsize>);

impl Held {
    pub(crate) fn add(&self, bytes: usize) {
        let grown = |held: usize| Some(held.saturating_add(bytes));
        // Always `Ok`: the closure always answers.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    pub(crate) fn exceeds(&self, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed) > limit
    }
}
