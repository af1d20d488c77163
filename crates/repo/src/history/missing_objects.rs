//! Objects of commits that git couldn't provide.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of missing contents to list. Before reusing a result computed without them, we
/// look up each of them again. With more, we discard the result instead.
pub(super) const MAX_ASKED: usize = 64;

/// Objects that git couldn't provide so far, because of a shallow or partial clone or damage.
/// They're cached with the snapshot. Git may get them later, so results computed meanwhile are
/// valid only for as long as the objects are missing.
#[derive(Debug, Default)]
pub struct Lacking {
    contents: Mutex<BTreeSet<String>>,
    other: AtomicBool,
}

impl Lacking {
    /// Returns the ids of the missing contents, or `None` if there are too many to check again or
    /// another kind of query failed.
    #[must_use]
    pub fn contents(&self) -> Option<Vec<String>> {
        let contents = self.lock();
        let is_all = !self.other.load(Ordering::Relaxed) && contents.len() <= MAX_ASKED;
        is_all.then(|| contents.iter().cloned().collect())
    }

    pub(super) fn note_contents(&self, id: &str) {
        let mut contents = self.lock();
        // One entry above the limit is enough to show that there are too many.
        if contents.len() <= MAX_ASKED {
            contents.insert(id.to_owned());
        }
    }

    /// Records that another kind of query failed.
    pub(super) fn note_other(&self) {
        self.other.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
