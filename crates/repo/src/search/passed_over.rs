//! Caches files without matches for the next search in the same snapshot.
//!
//! Most snapshots are searched only once, and a cache would just waste memory. From the second
//! search on, it saves reading the same files again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::platform::Signature;

/// Maximum size of the cache in bytes. Files that do not fit are read from disk each time.
const MAX_BYTES: usize = 64 << 20;

pub(super) type Passed = (Arc<[u8]>, Signature);

/// The cached files. Those with matches are in [`SeenFiles`](crate::seen_files::SeenFiles) instead.
#[derive(Default)]
pub(super) struct PassedOver(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    files: BTreeMap<Box<str>, Passed>,
    bytes: usize,
}

impl PassedOver {
    pub(super) fn get(&self, path: &str) -> Option<Passed> {
        let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.files.get(path).cloned()
    }

    pub(super) fn keep(&self, path: &str, bytes: &[u8], signature: Signature) {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = |cache: &Cache| cache.bytes + bytes.len() <= MAX_BYTES;
        if !has_room(&lock()) {
            return;
        }
        let copy: Arc<[u8]> = bytes.into();
        let mut cache = lock();
        if has_room(&cache) && !cache.files.contains_key(path) {
            cache.bytes += bytes.len();
            cache.files.insert(path.into(), (copy, signature));
        }
    }
}
