//! Size limits of our own files: a larger file is not ours, and is not read.

/// Limit that fits every document this program writes, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Limit for a log and data derived from it, in bytes: about two million events.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
