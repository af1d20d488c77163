//! Memory held by a run, including nested runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Total memory of the outputs of a run and of its nested runs.
///
/// It only grows, even when a nested run ends: the total does not depend on timing, so that a run is either
/// always too large or never.
#[derive(Debug, Clone, Default)]
pub struct Held(Arc<AtomicUsize>);

impl Held {
    pub(crate) fn add(&self, bytes: usize) {
        let grown = |held: usize| Some(held.saturating_add(bytes));
        // Always `Ok`, since the closure returns `Some`.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    pub(crate) fn exceeds(&self, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed) > limit
    }
}
