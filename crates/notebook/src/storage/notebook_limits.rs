//! Limits of a notebook and its history.
//!
//! They are checked on every write, so a notebook never becomes too large to be read again.

use std::time::Duration;

pub(crate) const MAX_ANCHORS: usize = 20_000;

pub(crate) const MAX_RUNBOOKS: usize = 500;

/// Maximum size of a runbook in bytes. The whole text is part of the notebook.
pub(crate) const MAX_RUNBOOK_BYTES: usize = 1 << 20;

/// Maximum size of a notebook file in bytes. A larger one is refused when reading, too.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Number of bytes that we read to get at the fields before the anchors. They're usually much
/// smaller; if not, the whole file is read.
pub(crate) const HEAD_BYTES: u64 = 64 << 10;

/// Limits for stored revisions. The newest one is never deleted, whatever the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum number of stored revisions.
    pub max_count: usize,
    /// Maximum age. The newest ten revisions may be of any age, because the clock can be wrong.
    pub max_age: Duration,
    /// Maximum size of all stored revisions together, in bytes.
    pub max_bytes: u64,
}

impl Default for HistoryLimits {
    /// Returns limits of 100 revisions, 90 days and 64 MiB.
    fn default() -> Self {
        Self {
            max_count: 100,
            max_age: Duration::from_hours(24 * 90),
            max_bytes: 64 << 20,
        }
    }
}
