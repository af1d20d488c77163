//! What was measured, kept for the next time by what it follows from.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, RootedPath};

/// The most that one piece of work finds, in bytes.
const MOST: u64 = 64 << 20;

/// A folder of what was measured; without one nothing is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeasuredCache {
    blobs: Option<Blobs>,
    /// How many results were kept there.
    saved: Arc<AtomicUsize>,
}

impl MeasuredCache {
    /// In `folder`, so many results at most, and so many bytes of them; those that are kept are counted in `saved`.
    pub(crate) fn within(
        folder: Option<&Path>,
        max_count: usize,
        max_bytes: u64,
        saved: &Arc<AtomicUsize>,
    ) -> Self {
        let limits = BlobLimits {
            max_count,
            max_bytes,
        };
        Self {
            blobs: folder.map(|folder| Blobs::new(RootedPath::new(folder), limits)),
            saved: Arc::clone(saved),
        }
    }

    /// What is kept under `key`. What a version wrote that kept something else there counts as nothing.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let bytes = self.blobs.as_ref()?.get(key, MOST)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps `found` under `key`. What cannot be kept is found again.
    pub(crate) fn put<T: Serialize>(&self, key: &str, found: &T) {
        if let (Some(blobs), Ok(bytes)) = (&self.blobs, serde_json::to_vec(found))
            && blobs.put(key, &bytes).is_ok()
        {
            self.saved.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The key of what follows from these parts.
pub(crate) fn key(parts: &[&str]) -> String {
    Digest::of_bytes(parts.join("\0").as_bytes()).hex()
}
