//! How much one notebook holds, and how much is kept of what it was.

use std::time::Duration;

/// The most anchors.
pub(crate) const MAX_ANCHORS: usize = 20_000;

/// The most runbooks.
pub(crate) const MAX_RUNBOOKS: usize = 500;

/// The longest text of a runbook, in bytes.
pub(crate) const MAX_RUNBOOK_BYTES: usize = 1 << 20;

/// The largest file, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// As much is read to see what stands in front of the anchors, in bytes.
pub(crate) const HEAD_BYTES: u64 = 64 << 10;

/// How much is kept of superseded revisions. The newest of them is always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// How many.
    pub max_count: usize,
    /// How old they may be; the newest ten may be older, since a clock can be wrong.
    pub max_age: Duration,
    /// How many bytes they may take together.
    pub max_bytes: u64,
}

impl Default for HistoryLimits {
    /// What is kept without being asked: a hundred, 90 days, 64 MiB.
    fn default() -> Self {
        Self {
            max_count: 100,
            max_age: Duration::from_hours(24 * 90),
            max_bytes: 64 << 20,
        }
    }
}
