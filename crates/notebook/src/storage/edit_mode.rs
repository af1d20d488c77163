//! Modes of a change: write or preview.

/// Modes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// Write the change.
    Write,
    /// Return the result of the change without writing it. In contrast to a write, this doesn't
    /// take the lock.
    DryRun,
}

impl EditMode {
    /// Returns `DryRun` if `dry_run` is true, and `Write` otherwise.
    #[must_use]
    pub fn of(dry_run: bool) -> Self {
        match dry_run {
            true => Self::DryRun,
            false => Self::Write,
        }
    }
}
