//! Modes of a change: write or preview.

/// Modes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// Write the change.
    Write,
    /// Return the change's result without writing it. This doesn't need the lock.
    DryRun,
}
