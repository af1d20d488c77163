//! Objects of commits that git does not have.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use windlass_base::lock;

/// Maximum number of missing contents that we look up again before reusing a result that was
/// computed without them. If there are more, we would rather compute the result again.
pub(super) const MAX_ASKED: usize = 64;

/// Objects that git does not have, because the clone is shallow or partial, or because the
/// repository is damaged.
///
/// Git may get the objects later, e.g. with the next `git fetch`, and a result computed without
/// them must not outlive that moment. This value is cached with the snapshot.
#[derive(Debug, Default)]
pub struct Lacking {
    contents: Mutex<BTreeSet<String>>,
    other: AtomicBool,
}

impl Lacking {
    /// Returns the IDs of the missing contents. This is `None` if there are too many to check
    /// again, or if another kind of query failed as well.
    #[must_use]
    pub fn contents(&self) -> Option<Vec<String>> {
        let contents = lock(&self.contents);
        let is_all = !self.other.load(Ordering::Relaxed) && contents.len() <= MAX_ASKED;
        is_all.then(|| contents.iter().cloned().collect())
    }

    pub(super) fn note_contents(&self, id: &str) {
        let mut contents = lock(&self.contents);
        // A single entry above the limit is enough to see that there are too many.
        if contents.len() <= MAX_ASKED {
            contents.insert(id.to_owned());
        }
    }

    pub(super) fn note_other(&self) {
        self.other.store(true, Ordering::Relaxed);
    }
}
