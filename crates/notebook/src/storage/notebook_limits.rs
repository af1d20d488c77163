//! Limits of a notebook and its history.

use std::time::Duration;

/// Maximum number of anchors in a notebook.
pub(crate) const MAX_ANCHORS: usize = 20_000;

/// Maximum number of runbooks in a notebook.
pub(crate) const MAX_RUNBOOKS: usize = 500;

/// Maximum size of a runbook in bytes.
pub(crate) const MAX_RUNBOOK_BYTES: usize = 1 << 20;

/// Maximum size of a notebook file in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Number of bytes read to find the fields before the anchors.
pub(crate) const HEAD_BYTES: u64 = 64 << 10;

/// Limits for stored revisions. The newest one is exempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum number of stored revisions.
    pub max_count: usize,
    /// Maximum age. Since a clock can be wrong, the newest ten revisions are exempt.
    pub max_age: Duration,
    /// Maximum total size in bytes.
    pub max_bytes: u64,
}

impl Default for HistoryLimits {
    /// Returns the default limits: 100 revisions, 90 days and 64 MiB.
    fn default() -> Self {
        Self {
            max_count: 100,
            max_age: Duration::from_hours(24 * 90),
            max_bytes: 64 << 20,
        }
    }
}
