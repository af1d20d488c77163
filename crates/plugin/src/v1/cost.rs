//! Costs of a guest's calls to the host. The unit is fuel, which is roughly a nanosecond.
//!
//! A call costs its full work even if the result is cached. Otherwise, a guest would get further
//! with a full cache than with an empty one.

/// Base cost of a call.
pub(super) const CALL: u64 = 1_000;
/// Cost per byte passed by a guest.
pub(super) const BYTE: u64 = 1;
/// Cost per byte of an answer, for composing it, writing it as JSON and passing it.
pub(super) const ANSWER_BYTE: u64 = 4;
/// Cost of a query that's new in this attempt.
///
/// It's so high because we keep the answer in memory until the run ends.
pub(super) const QUESTION: u64 = 100_000;
/// Cost per byte of a new query.
pub(super) const QUESTION_BYTE: u64 = 1_000;
/// Cost per file or folder visited by a query.
pub(super) const ENTRY: u64 = 1_000;
/// Cost per anchor compared with the files.
pub(super) const ANCHOR: u64 = 50_000;
/// Cost per byte of a log line, for scanning it for secrets.
pub(super) const SAID_BYTE: u64 = 20;
/// Cost of a progress report.
pub(super) const PROGRESS_REPORT: u64 = 20_000;

pub(super) fn file(bytes: usize) -> u64 {
    const OPENED: u64 = 10_000;
    OPENED + 2 * bytes as u64
}

pub(super) fn search(entries: u64, bytes: u64) -> u64 {
    const BYTES_AT_ONCE: u64 = 2;
    entries.saturating_mul(ENTRY) + bytes / BYTES_AT_ONCE
}

#[cfg(test)]
mod tests;
