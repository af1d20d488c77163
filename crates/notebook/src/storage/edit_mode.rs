//! Whether a change is made.

/// Whether a change is made, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// It is written.
    Write,
    /// Nothing is written, and nobody is waited for.
    DryRun,
}
