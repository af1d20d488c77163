//! Limits on the size of Windlass's own files. If a file is larger, it is not ours, or something
//! has gone wrong, so we do not read it into memory.

/// Maximum size of a document, in bytes. Real ones are far smaller.
pub const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Maximum size of a log or of data derived from one, in bytes. This is enough for about two
/// million events. Writers refuse to exceed it, because nobody could open the log afterwards.
pub const MAX_LOG_BYTES: u64 = 1 << 30;
