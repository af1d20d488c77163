//! What a guest's calls of the host cost it, in units of fuel: about as many as the nanoseconds they take. What counts is the
//! work that a call makes, also where somebody else had it done before, so that a guest ends at the same place everywhere.

/// A call by itself.
pub(super) const CALL: u64 = 1_000;
/// A byte that a guest hands over.
pub(super) const BYTE: u64 = 1;
/// A byte of an answer: put together, written as JSON and handed over.
pub(super) const ANSWER_BYTE: u64 = 4;
/// A question that the attempt did not ask before: its answer is kept as long as the run.
pub(super) const QUESTION: u64 = 100_000;
/// A byte of such a question.
pub(super) const QUESTION_BYTE: u64 = 1_000;
/// A file or folder that a question leads to.
pub(super) const ENTRY: u64 = 1_000;
/// An anchor that is held against the files.
pub(super) const ANCHOR: u64 = 50_000;
/// A byte of what is said, which is looked through for secrets.
pub(super) const SAID_BYTE: u64 = 20;
/// Somebody is told how far the work has come.
pub(super) const TOLD: u64 = 20_000;

/// A file that is read, and looked through for secrets.
pub(super) fn file(bytes: usize) -> u64 {
    const OPENED: u64 = 10_000;
    OPENED + 2 * bytes as u64
}

/// So many files and folders, and the bytes of those files, gone through for a pattern.
pub(super) fn search(entries: u64, bytes: u64) -> u64 {
    const BYTES_AT_ONCE: u64 = 2;
    entries.saturating_mul(ENTRY) + bytes / BYTES_AT_ONCE
}
