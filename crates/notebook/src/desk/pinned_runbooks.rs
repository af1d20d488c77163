//! The runbooks of the notebook, where one state of them is to serve a whole job.

use std::sync::{Arc, Mutex, PoisonError};

use crate::SavedRunbook;

/// The runbooks of the notebook; nothing before they are asked for.
type Read = Mutex<Option<Arc<[SavedRunbook]>>>;

/// The runbooks of the notebook, where one state of them is to serve a whole job. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub(super) struct PinnedRunbooks(Option<Arc<Read>>);

impl PinnedRunbooks {
    /// These runbooks.
    pub(super) fn of(runbooks: Vec<SavedRunbook>) -> Self {
        Self(Some(Arc::new(Mutex::new(Some(Arc::from(runbooks))))))
    }

    /// The same; those that are there when first asked for, where nothing is pinned.
    pub(super) fn or_once(&self) -> Self {
        Self(Some(self.0.clone().unwrap_or_default()))
    }

    /// Lets them be read anew, where they were read before there was a notebook.
    pub(super) fn forget(&self) {
        if let Some(saved) = &self.0 {
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// The runbooks; as they are read now, where nothing is pinned.
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
