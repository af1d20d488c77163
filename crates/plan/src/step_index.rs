use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of a step in its plan, from 0, in document order; `finally` steps come after all others.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct StepIndex(u32);

impl StepIndex {
    /// The step number `index`.
    ///
    /// A plan has fewer than 2^32 steps; larger numbers become the largest, which no plan has.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The number, to index a slice with.
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
