//! What git could not give of what commits have.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most contents that are asked for again before what was worked out without them is used another time.
pub(super) const MAX_ASKED: usize = 64;

/// Things that commits have and git could not give: it may another time (a shallow or partial clone, a damaged object). Kept with the state
/// of the files; what is worked out meanwhile holds for as long as git cannot give it.
#[derive(Debug, Default)]
pub struct Lacking {
    contents: Mutex<BTreeSet<String>>,
    other: AtomicBool,
}

impl Lacking {
    /// The ids of the contents that git could not give, by id; `None` where there are more than can be asked for again, or where it
    /// was something else.
    #[must_use]
    pub fn contents(&self) -> Option<Vec<String>> {
        let contents = self.lock();
        let is_all = !self.other.load(Ordering::Relaxed) && contents.len() <= MAX_ASKED;
        is_all.then(|| contents.iter().cloned().collect())
    }

    /// Notes that it could not give the contents with this id.
    pub(super) fn note_contents(&self, id: &str) {
        let mut contents = self.lock();
        // One more than can be asked for again says enough.
        if contents.len() <= MAX_ASKED {
            contents.insert(id.to_owned());
        }
    }

    /// Notes that there is something else that it could not give.
    pub(super) fn note_other(&self) {
        self.other.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
