use std::fmt;

/// The place of a step in its plan, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepIndex(u32);

impl StepIndex {
    /// The step at place `at`.
    ///
    /// # Panics
    /// Beyond 2^32 steps, which no limit of ours allows.
    #[must_use]
    pub fn from_usize(at: usize) -> Self {
        Self(u32::try_from(at).expect("plans are limited to far fewer than 2^32 steps"))
    }

    /// The place as an index into a list.
    #[must_use]
    pub fn to_usize(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StepIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
