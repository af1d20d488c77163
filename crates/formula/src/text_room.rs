//! The bound on what texts grow to.

use std::cell::Cell;

/// The bytes that all texts of a formula may still become. It is taken from while they grow, before a text is
/// copied, so that nothing is ever larger than the limit.
#[derive(Debug)]
pub(crate) struct Room {
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Room {
    /// Room for `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: Cell::new(bytes),
            spent: Cell::new(false),
        }
    }

    /// Takes `bytes`; false if there are not so many left, now and ever after.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) if !self.spent.get() => self.left.set(left),
            _ => self.spent.set(true),
        }
        !self.spent.get()
    }

    /// True if something did not fit.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}
