//! Storage for results that can be used again in the next run.

use crate::params;
use windlass_store::Blobs;

/// Cache for verdicts and followed lines between runs, such as a folder of blobs.
///
/// An implementation may lose any entry at any time. Entries are verified before they are used.
pub trait EvidenceStore: Send + Sync {
    /// Returns the bytes stored under `key`, a string of hexadecimal digits.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores `bytes` under `key`.
    ///
    /// Failures are not reported, because a lost entry only costs time in the next run.
    fn put(&self, key: &str, bytes: &[u8]);
}

impl EvidenceStore for Blobs {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        Blobs::get(self, key, params::MAX_BLOB_BYTES)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // Without this entry, the next run has to follow the commits again, and that's all.
        let _ = Blobs::put(self, key, bytes);
    }
}
