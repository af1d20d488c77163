//! Use of an evidence store by a snapshot.

use std::sync::Arc;

use windlass_repo::Snapshot;
use windlass_store::{BlobLimits, Blobs, RootedPath};

use crate::evidence_store::EvidenceStore;
use crate::replay::Replays;
use crate::verdicts::Verdicts;

/// Number of entries per repository: one blob for each commit that was checked out, and one for each working tree.
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};

/// Does the same as [`keep_evidence`], in the folder `cache`, which other repositories share.
pub fn keep_evidence_in(snapshot: &Snapshot, cache: &RootedPath) {
    let repo = &snapshot.repo().identity().repo_id;
    let folder = cache.join("repos").join(repo).join("followed");
    let store: Arc<dyn EvidenceStore> = Arc::new(Blobs::new(folder, LIMITS));
    keep_evidence(snapshot, &store);
}

/// Reads results of earlier judgements from `store`, and writes those of `snapshot` to it when the snapshot is dropped.
pub fn keep_evidence(snapshot: &Snapshot, store: &Arc<dyn EvidenceStore>) {
    snapshot.kept::<Replays>().use_store(Arc::clone(store));
    snapshot.kept::<Verdicts>().use_store(Arc::clone(store));
}
