//! Limits the total size of the texts that cooking produces.

use std::cell::Cell;

use super::late_names::LateNames;

/// The number of bytes left for texts.
///
/// We take bytes before each copy, so not even intermediate copies exceed the limit.
#[derive(Debug)]
pub(crate) struct Room {
    left: Cell<usize>,
    spent: Cell<bool>,
    /// The names are here because all code that fills in texts can reach the room.
    pub(crate) late: LateNames,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: Cell::new(bytes),
            spent: Cell::new(false),
            late: LateNames::default(),
        }
    }

    pub(crate) fn with_late(self, late: LateNames) -> Self {
        Self { late, ..self }
    }

    /// Takes `bytes` bytes, and returns false if there are not enough.
    ///
    /// Once this has failed, it always fails, even for a smaller number that would still fit.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) if !self.spent.get() => self.left.set(left),
            _ => self.spent.set(true),
        }
        !self.spent.get()
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}
