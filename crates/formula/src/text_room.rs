//! Limits the total size of texts, and collects undeclared names in them.

use std::cell::Cell;

use super::late_names::LateNames;

/// Number of bytes still available for texts. We reserve bytes before each copy, so the limit is
/// never exceeded.
#[derive(Debug)]
pub(crate) struct Room {
    left: Cell<usize>,
    spent: Cell<bool>,
    /// Undeclared names found in the texts.
    pub(crate) late: LateNames,
}

impl Room {
    /// Creates room for `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: Cell::new(bytes),
            spent: Cell::new(false),
            late: LateNames::default(),
        }
    }

    /// Sets the record of undeclared names.
    pub(crate) fn with_late(self, late: LateNames) -> Self {
        Self { late, ..self }
    }

    /// Reserves `bytes` bytes, and returns false if there isn't enough room. After the first
    /// failure, every later call fails too.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) if !self.spent.get() => self.left.set(left),
            _ => self.spent.set(true),
        }
        !self.spent.get()
    }

    /// True if a reservation has failed.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}
