use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that asks long work to stop.
///
/// Clones share the flag. Work that may take longer than a few milliseconds checks it between
/// files.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all holders of a clone to stop. This can't be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once cancellation has been requested.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
