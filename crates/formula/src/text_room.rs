//! Limit on the total size of texts.

use std::cell::Cell;

/// Number of bytes that texts may still use. It is reserved before each copy, so no text ever exceeds the limit.
#[derive(Debug)]
pub(crate) struct Room {
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Room {
    /// Creates room for `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: Cell::new(bytes),
            spent: Cell::new(false),
        }
    }

    /// Reserves `bytes`. Returns false if there is not enough room, and from then on always.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) if !self.spent.get() => self.left.set(left),
            _ => self.spent.set(true),
        }
        !self.spent.get()
    }

    /// True if a reservation failed.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}
