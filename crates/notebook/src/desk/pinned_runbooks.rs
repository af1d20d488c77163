//! Caches the notebook's runbooks, so that a whole job uses the same ones even if another process
//! edits the notebook in the meantime.

use std::sync::{Arc, Mutex, PoisonError};

use crate::SavedRunbook;

/// The runbooks. This is `None` before the first read.
type Read = Mutex<Option<Arc<[SavedRunbook]>>>;

/// The notebook's runbooks. If they are pinned, they are read only once, and clones share the
/// result.
#[derive(Debug, Clone, Default)]
pub(super) struct PinnedRunbooks(Option<Arc<Read>>);

impl PinnedRunbooks {
    pub(super) fn of(runbooks: Vec<SavedRunbook>) -> Self {
        Self(Some(Arc::new(Mutex::new(Some(Arc::from(runbooks))))))
    }

    /// Pins the runbooks as of the first read. If they are already pinned, the result shares their
    /// cache.
    pub(super) fn or_once(&self) -> Self {
        Self(Some(self.0.clone().unwrap_or_default()))
    }

    /// Clears the cache. Call this after creating the notebook, since the cache may be from the
    /// time before.
    pub(super) fn forget(&self) {
        if let Some(saved) = &self.0 {
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Gets the pinned runbooks. If nothing is pinned, or if this is the first read, `read` is
    /// called.
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
