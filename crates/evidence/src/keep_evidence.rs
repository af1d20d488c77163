//! Functions that give a snapshot a place to keep results between runs.

use std::sync::Arc;

use windlass_repo::Snapshot;
use windlass_store::{BlobLimits, Blobs, RootedPath};

use crate::evidence_store::EvidenceStore;
use crate::replay::Replays;
use crate::verdicts::Verdicts;

/// Cap on the entries per repository and on their total size.
///
/// There is one entry for each commit that was checked out and one for each working tree.
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};

/// Makes `snapshot` use the store of its repository in the folder `cache`, which all repositories
/// share. See [`keep_evidence`].
pub fn keep_evidence_in(snapshot: &Snapshot, cache: &RootedPath) {
    let repo = &snapshot.repo().identity().repo_id;
    let folder = cache.join("repos").join(repo).join("followed");
    let store: Arc<dyn EvidenceStore> = Arc::new(Blobs::new(folder, LIMITS));
    keep_evidence(snapshot, &store);
}

/// Makes `snapshot` use `store`.
///
/// Earlier results are read from it on first use, and new ones are written when the snapshot is
/// dropped.
pub fn keep_evidence(snapshot: &Snapshot, store: &Arc<dyn EvidenceStore>) {
    snapshot.kept::<Replays>().use_store(Arc::clone(store));
    snapshot.kept::<Verdicts>().use_store(Arc::clone(store));
}
