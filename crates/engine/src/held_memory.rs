//! Memory accounting for a run and its nested runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Total memory taken by the outputs of a run and its nested runs.
///
/// The total only grows, even when a nested run ends and its outputs are dropped. If it could
/// shrink, a run might exceed the limit or not depending on timing. This way, a given run either
/// always exceeds it or never does.
#[derive(Debug, Clone, Default)]
pub struct Held(Arc<AtomicUsize>);

impl Held {
    pub(crate) fn add(&self, bytes: usize) {
        let grown = |held: usize| Some(held.saturating_add(bytes));
        // This can't fail, because the closure always returns `Some`.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    pub(crate) fn exceeds(&self, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed) > limit
    }
}
