//! Size limits of Windlass's own files. We don't read a larger file, since Windlass can't have
//! written it.

/// Limit for a document, in bytes. Windlass writes no document as large as this.
pub const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Limit for a log and for data derived from it, in bytes. That's enough for about two million
/// events.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
