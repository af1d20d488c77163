use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag for stopping long work, shared by all of its clones.
///
/// Nobody can end a thread from outside, so work of more than a few milliseconds should check the
/// flag between files.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks everyone with a clone of this flag to stop. There is no way to undo this.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once anyone has called [`cancel`](Self::cancel).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
