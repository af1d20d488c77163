//! Storage of verdicts and followed lines between runs.

use windlass_store::Blobs;

/// Store of verdicts and followed lines for the next run, such as a folder of blobs.
///
/// It may lose any entry at any time. Entries are checked before they are used.
pub trait EvidenceStore: Send + Sync {
    /// Reads the entry of `key`, hexadecimal digits.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps `bytes` under `key`. A failure costs nothing but time.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Maximum size of a blob that is read, in bytes.
const MAX_BLOB: u64 = 64 << 20;

impl EvidenceStore for Blobs {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        Blobs::get(self, key, MAX_BLOB)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // Without it the commits are gone through again.
        let _ = Blobs::put(self, key, bytes);
    }
}
