//! Cache of files without matches, for the next search in the same snapshot.
//!
//! A single search reads each file into a reused buffer and caches nothing. Once a snapshot is
//! searched several times, reading the same files again is a waste, so we cache their contents up
//! to a limit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::platform::Signature;

/// Maximum size of the cache, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A file's contents and signature.
pub(super) type Passed = (Arc<[u8]>, Signature);

/// Cache of files without matches, one per snapshot.
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
