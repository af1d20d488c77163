//! Write mode of a change.

/// Write mode of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// Write the change.
    Write,
    /// Preview: neither write nor wait for the lock.
    DryRun,
}
