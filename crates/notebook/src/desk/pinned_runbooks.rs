//! Caches the notebook's runbooks, so that they stay the same during a whole job.

use std::sync::{Arc, Mutex, PoisonError};

use crate::SavedRunbook;

/// Cached runbooks, or `None` before the first read.
type Read = Mutex<Option<Arc<[SavedRunbook]>>>;

/// The notebook's runbooks. If they're pinned, they are read only once. Clones share the cache.
#[derive(Debug, Clone, Default)]
pub(super) struct PinnedRunbooks(Option<Arc<Read>>);

impl PinnedRunbooks {
    pub(super) fn of(runbooks: Vec<SavedRunbook>) -> Self {
        Self(Some(Arc::new(Mutex::new(Some(Arc::from(runbooks))))))
    }

    /// Returns a cache to be filled on the first read. If the runbooks are already pinned, shares
    /// that cache.
    pub(super) fn or_once(&self) -> Self {
        Self(Some(self.0.clone().unwrap_or_default()))
    }

    /// Clears the cache, because the notebook was created after the first read.
    pub(super) fn forget(&self) {
        if let Some(saved) = &self.0 {
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Returns the cached runbooks. Calls `read` if there are none yet or if nothing is pinned.
    pub(super) fn get_or(&self, read: impl FnOnce() -> Arc<[SavedRunbook]>) -> Arc<[SavedRunbook]> {
        match &self.0 {
            Some(saved) => {
                let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(saved.get_or_insert_with(read))
            }
            None => read(),
        }
    }
}
