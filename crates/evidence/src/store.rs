//! Keeping what was found out from one run to the next.

use std::sync::Arc;

use windlass_repo::Snapshot;
use windlass_store::{BlobLimits, Blobs, RootedPath};

use crate::replay::Replays;
use crate::verdicts::Verdicts;

/// Keeps what was followed and what was said, for the next run: a folder of blobs, say.
///
/// It may lose anything at any time. What it gives back is inspected before it is used.
pub trait EvidenceStore: Send + Sync {
    /// Reads the entry of `key`, hexadecimal digits.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps `bytes` under `key`. A failure costs nothing but time.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Number of entries per repository: one blob for each commit that was checked out, and one for each working tree.
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};

/// The largest blob that is read, in bytes.
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

/// The same as [`keep_evidence`], in the folder `cache`, which other repositories share.
pub fn keep_evidence_in(snapshot: &Snapshot, cache: &RootedPath) {
    let repo = &snapshot.repo().identity().repo_id;
    let folder = cache.join("repos").join(repo).join("followed");
    let store: Arc<dyn EvidenceStore> = Arc::new(Blobs::new(folder, LIMITS));
    keep_evidence(snapshot, &store);
}

/// Lets what judgements in the state of `snapshot` find out be kept in `store` when that state ends, and what was kept before
/// be used.
pub fn keep_evidence(snapshot: &Snapshot, store: &Arc<dyn EvidenceStore>) {
    snapshot.kept::<Replays>().use_store(Arc::clone(store));
    snapshot.kept::<Verdicts>().use_store(Arc::clone(store));
}
