//! Counts the memory used by a run and its nested runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The memory used by all outputs of a run and its nested runs, in bytes.
///
/// The count only grows. When a nested run ends, its outputs are dropped, but if the count shrank
/// with them, it would depend on timing whether a run exceeds the limit.
#[derive(Debug, Clone, Default)]
pub struct Held(Arc<AtomicUsize>);

impl Held {
    pub(crate) fn add(&self, bytes: usize) {
        let grown = |held: usize| Some(held.saturating_add(bytes));
        // The closure always returns `Some`, so this can't fail.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    pub(crate) fn exceeds(&self, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed) > limit
    }
}
