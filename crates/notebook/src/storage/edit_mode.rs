//! Whether a change is written or previewed.

/// Whether a change is written or previewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// Write the change.
    Write,
    /// Return the result of the change without writing it. The lock is not needed.
    DryRun,
}
