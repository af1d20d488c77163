use std::fmt;

use serde::{Deserialize, Serialize};

/// A step's index in its plan, from 0. Steps are in document order, with the `finally` steps after
/// all others.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct StepIndex(u32);

impl StepIndex {
    /// Creates an index.
    ///
    /// A plan has fewer than 2^32 steps. A larger number saturates.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the number, for indexing a slice.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StepIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u32> for StepIndex {
    fn from(index: u32) -> Self {
        Self(index)
    }
}
