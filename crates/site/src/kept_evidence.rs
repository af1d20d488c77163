//! What was found out of evidence, kept between runs.

use std::sync::Arc;

use windlass_evidence::{EvidenceStore, keep_evidence};
use windlass_repo::Snapshot;
use windlass_store::{BlobLimits, Blobs};

use crate::Site;

/// How much is kept for one repository: one blob for each commit that was checked out, and one for each working tree.
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};

/// The largest blob that is read, in bytes.
const MAX_BLOB: u64 = 64 << 20;

struct Followed(Blobs);

impl EvidenceStore for Followed {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.get(key, MAX_BLOB)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // Without it the commits are gone through again.
        let _ = self.0.put(key, bytes);
    }
}

/// Lets judgements in the state of `snapshot` go on from where earlier ones were; where nothing can be kept, each
/// begins anew.
pub(crate) fn keep_followed(site: &Site, snapshot: &Snapshot) {
    if let Ok(dirs) = site.dirs() {
        let repo = &site.repo().identity().repo_id;
        let folder = dirs.cache.join("repos").join(repo).join("followed");
        let blobs = Blobs::new(folder, LIMITS);
        let store: Arc<dyn EvidenceStore> = Arc::new(Followed(blobs));
        keep_evidence(snapshot, &store);
    }
}
