//! Keeping what was found out from one run to the next.

use std::sync::Arc;

use windlass_repo::Snapshot;

use crate::replay::Replays;
use crate::verdicts::Verdicts;

/// Keeps what was followed and what was said, for the next run: a folder of blobs, say.
///
/// It may lose anything at any time. What it gives back is looked at before it is used.
pub trait EvidenceStore: Send + Sync {
    /// What was kept under `key`, hexadecimal digits.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps `bytes` under `key`. A failure costs nothing but time.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Lets what judgements in the state of `snapshot` find out be kept in `store` when that state ends, and what was kept before
/// be used.
pub fn keep_evidence(snapshot: &Snapshot, store: &Arc<dyn EvidenceStore>) {
    snapshot.kept::<Replays>().use_store(Arc::clone(store));
    snapshot.kept::<Verdicts>().use_store(Arc::clone(store));
}
