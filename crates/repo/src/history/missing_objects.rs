//! Objects of commits that git could not provide.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of missing contents to check again before a result computed without them is reused.
pub(super) const MAX_ASKED: usize = 64;

/// Objects of commits that git could not provide now, but may later (a shallow or partial clone, a damaged
/// object). Cached with the snapshot; results computed meanwhile are valid while the objects are missing.
#[derive(Debug, Default)]
pub struct Lacking {
    contents: Mutex<BTreeSet<String>>,
    other: AtomicBool,
}

impl Lacking {
    /// Returns the ids of the missing contents; `None` if there are too many to check again, or another kind
    /// of answer failed.
    #[must_use]
    pub fn contents(&self) -> Option<Vec<String>> {
        let contents = self.lock();
        let is_all = !self.other.load(Ordering::Relaxed) && contents.len() <= MAX_ASKED;
        is_all.then(|| contents.iter().cloned().collect())
    }

    /// Records that the contents with this id are missing.
    pub(super) fn note_contents(&self, id: &str) {
        let mut contents = self.lock();
        // One entry above the limit marks the overflow.
        if contents.len() <= MAX_ASKED {
            contents.insert(id.to_owned());
        }
    }

    /// Records that another kind of answer failed.
    pub(super) fn note_other(&self) {
        self.other.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
