//! Limits on the size of our own files: what is larger is not ours, and is not read.

/// A limit that fits every document this program writes, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Limit on a log and on what is derived from it, in bytes: about two million events.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
