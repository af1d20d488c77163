use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks long work to stop.
///
/// Cloning shares the flag. Work that may take longer than a few milliseconds looks at it between files.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks everyone who holds a clone to stop. There is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
