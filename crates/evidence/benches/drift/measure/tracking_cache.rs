//! Cache for git's line tracking, which depends only on the two commits.

use std::path::Path;

use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, RootedPath};

use super::tracking::Tracking;

/// Version of the cached form and of the tracking rules.
///
/// Raise it if either of them changes, because verdicts would otherwise be measured against
/// outdated tracking.
const VERSION: &str = "tracking 6";
/// Maximum size of an entry, in bytes.
const MOST: u64 = 64 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 4_000,
    max_bytes: 256 << 20,
};

/// Folder with cached tracking, if there is one.
pub(super) struct TrackingCache(Option<Blobs>);

pub(super) fn key((old, new): (&str, &str)) -> String {
    Digest::of_bytes(format!("{VERSION}\0{old}\0{new}").as_bytes()).hex()
}

impl TrackingCache {
    pub(super) fn within(folder: Option<&Path>) -> Self {
        Self(folder.map(|folder| Blobs::new(RootedPath::new(folder), LIMITS)))
    }

    /// Returns the entry stored under `key`. Returns `None` if there is none or it is damaged.
    pub(super) fn get(&self, key: &str) -> Option<Tracking> {
        let bytes = self.0.as_ref()?.get(key, MOST)?;
        let known = Tracking::read(std::str::from_utf8(&bytes).ok()?).ok()?;
        Some(Tracking::of_parts([known]))
    }

    /// Stores `found`. If this fails, git is asked again next time.
    pub(super) fn put(&self, key: &str, found: &Tracking) {
        if let Some(blobs) = &self.0 {
            let _ = blobs.put(key, found.written().as_bytes());
        }
    }
}
