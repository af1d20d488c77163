//! Size limits of Windlass's own files. A larger file was not written by Windlass, so it is not read.

/// Limit for a document, in bytes. Every document that Windlass writes is smaller.
pub const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Limit for a log and for data derived from it, in bytes. It is enough for about two million events.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
