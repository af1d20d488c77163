//! Limits of a notebook and its history.

use std::time::Duration;

/// Maximum number of anchors.
pub(crate) const MAX_ANCHORS: usize = 20_000;

/// Maximum number of runbooks.
pub(crate) const MAX_RUNBOOKS: usize = 500;

/// Maximum size of a runbook text, in bytes.
pub(crate) const MAX_RUNBOOK_BYTES: usize = 1 << 20;

/// Maximum size of the file, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Number of bytes read to get the fields before the anchors.
pub(crate) const HEAD_BYTES: u64 = 64 << 10;

/// Retention limits for superseded revisions. The newest one is always retained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum number of revisions.
    pub max_count: usize,
    /// Maximum age; the newest ten may be older, since a clock can be wrong.
    pub max_age: Duration,
    /// Maximum total size, in bytes.
    pub max_bytes: u64,
}

impl Default for HistoryLimits {
    /// Returns the default retention: a hundred revisions, 90 days, 64 MiB.
    fn default() -> Self {
        Self {
            max_count: 100,
            max_age: Duration::from_hours(24 * 90),
            max_bytes: 64 << 20,
        }
    }
}
