//! Costs of a guest's calls to the host. The unit is fuel, which is roughly a nanosecond. The cost is the work that a
//! call requires even if its result is cached, so that a guest ends at the same point on every machine.

/// Base cost of a call.
pub(super) const CALL: u64 = 1_000;
/// Cost per byte that a guest passes.
pub(super) const BYTE: u64 = 1;
/// Cost per byte of an answer, for composing it, writing it as JSON and passing it.
pub(super) const ANSWER_BYTE: u64 = 4;
/// Cost of a query that is new in this attempt. Its answer stays in memory until the run ends.
pub(super) const QUESTION: u64 = 100_000;
/// Cost per byte of a new query.
pub(super) const QUESTION_BYTE: u64 = 1_000;
/// Cost per file or folder that a query visits.
pub(super) const ENTRY: u64 = 1_000;
/// Cost per anchor that is compared with the files.
pub(super) const ANCHOR: u64 = 50_000;
/// Cost per byte of a log line, which is scanned for secrets.
pub(super) const SAID_BYTE: u64 = 20;
/// Cost of a progress report.
pub(super) const PROGRESS_REPORT: u64 = 20_000;

/// Returns the cost of reading a file and scanning it for secrets.
pub(super) fn file(bytes: usize) -> u64 {
    const OPENED: u64 = 10_000;
    OPENED + 2 * bytes as u64
}

/// Returns the cost of a search. `entries` is the number of files and folders visited, and `bytes` the size of the
/// files.
pub(super) fn search(entries: u64, bytes: u64) -> u64 {
    const BYTES_AT_ONCE: u64 = 2;
    entries.saturating_mul(ENTRY) + bytes / BYTES_AT_ONCE
}

#[cfg(test)]
mod tests;
