use std::fmt;

use serde::{Deserialize, Serialize};

/// A step's position in its plan, counted from 0.
///
/// The `finally` steps come after all others.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct StepIndex(u32);

impl StepIndex {
    /// Creates an index, which is at most `u32::MAX`.
    ///
    /// Documents are too short for that many steps.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the index for use with slices.
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
