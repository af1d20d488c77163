//! Storage for verdicts and followed lines between runs.

use windlass_store::Blobs;

/// Storage that keeps verdicts and followed lines for the next run, such as a folder of blobs.
///
/// It may lose any entry at any time. Entries are verified before use.
pub trait EvidenceStore: Send + Sync {
    /// Returns the entry that is stored under `key`, a string of hexadecimal digits. Returns `None` if there is none.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores `bytes` under `key`. A failure only costs time in the next run.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Maximum size of a blob to read, in bytes.
const MAX_BLOB: u64 = 64 << 20;

impl EvidenceStore for Blobs {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        Blobs::get(self, key, MAX_BLOB)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // A failed write is ignored. The next run then follows the commits again.
        let _ = Blobs::put(self, key, bytes);
    }
}
