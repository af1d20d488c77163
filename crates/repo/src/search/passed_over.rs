//! Files in which searches found nothing, for the next search of the same state.
//!
//! One search reads each file into a buffer that it uses again. Where many are made in one state, what they read is kept in
//! memory, as far as there is room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::platform::Signature;

/// How many bytes are kept.
const MAX_BYTES: usize = 64 << 20;

/// A file as it was read.
pub(super) type Passed = (Arc<[u8]>, Signature);

/// What is kept with a state.
#[derive(Default)]
pub(super) struct PassedOver(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    files: BTreeMap<Box<str>, Passed>,
    bytes: usize,
}

impl PassedOver {
    pub(super) fn get(&self, path: &str) -> Option<Passed> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.files.get(path).cloned()
    }

    pub(super) fn keep(&self, path: &str, bytes: &[u8], signature: Signature) {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = |kept: &Kept| kept.bytes + bytes.len() <= MAX_BYTES;
        if !has_room(&lock()) {
            return;
        }
        let copy: Arc<[u8]> = bytes.into();
        let mut kept = lock();
        if has_room(&kept) && !kept.files.contains_key(path) {
            kept.bytes += bytes.len();
            kept.files.insert(path.into(), (copy, signature));
        }
    }
}
